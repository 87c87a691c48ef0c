import OpenTokSignalling
import Testing

@testable import CallServer

/// The media of the dialect's test clients.
enum OpenTokTestMedia {
    static let stream = RaptorStream(
        id: "s",
        channels: [
            RaptorChannel(id: "audio1", kind: .audio, .init(isActive: true)),
            RaptorChannel(id: "video1", kind: .video, .init(isActive: true, width: 1280, height: 720)),
        ])

    /// The next step about a peer connection.
    static func step(_ client: OpenTokTestClient, _ peer: RaptorPeer) async throws -> RaptorNegotiation {
        try await client.next { event in
            if case .negotiate(peer, let step) = event { step } else { nil }
        }
    }

    static func candidate(_ client: OpenTokTestClient, _ peer: RaptorPeer) async throws -> String {
        try await client.next { event in
            if case .negotiate(peer, .candidate(let candidate)) = event { candidate.candidate } else { nil }
        }
    }

    /// Publishes sound under SSRC 100 and pictures under 200.
    static func publish(_ client: OpenTokTestClient) async throws -> MediaTestClient {
        let media = try await MediaTestClient.make(seed: 1)
        #expect(try await client.ask(.publish(stream)).status == 200)
        #expect(try await step(client, .stream("s")) == .generateOffer)
        try await media.addSender(.audio, cid: "a", ssrc: 100)
        try await media.addSender(.video, cid: "v", ssrc: 200)
        let offer = try await media.offer()
        #expect(try await client.ask(.negotiate(.stream("s"), .offer(sdp: offer))).status == 200)
        guard case .answer(let answer) = try await step(client, .stream("s")) else {
            throw HTTPTestClient.Failure.closed
        }
        try await media.take(answer: answer)
        try await media.add(candidate: candidate(client, .stream("s")))
        try await media.untilConnected()
        return media
    }

    static func subscribe(
        _ client: OpenTokTestClient, to stream: String = "s", as id: String, seed: UInt64
    ) async throws -> MediaTestClient {
        let media = try await MediaTestClient.make(seed: seed, offers: false)
        let peer = RaptorPeer.subscriber(stream: stream, id: id)
        #expect(try await client.ask(.subscribe(stream: stream, RaptorSubscriber(id: id))).status == 200)
        guard case .offer(let offer) = try await step(client, peer) else { throw HTTPTestClient.Failure.closed }
        let answer = try await media.answer(offer)
        #expect(try await client.ask(.negotiate(peer, .answer(sdp: answer))).status == 200)
        try await media.add(candidate: candidate(client, peer))
        try await media.untilConnected()
        return media
    }

    /// Waits until so many packets of each kind have come: those of 1,000 bytes are pictures.
    static func receive(_ media: MediaTestClient, sounds: Int, pictures: Int) async {
        var (heard, seen) = (0, 0)
        for await packet in media.packets {
            if packet.payload.count >= 900 { seen += 1 } else if packet.payload.count == 4 { heard += 1 }
            if heard >= sounds, seen >= pictures { return }
        }
    }
}
