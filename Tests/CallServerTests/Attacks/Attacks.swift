import Foundation
import LiveKitProtocol
import NIOCore
import RTCCore

@testable import CallServer

extension Attack {
    static let all: [Attack] = signalling + strangers + packets

    /// By a participant's messages.
    private static let signalling: [Attack] = [
        flood("a million empty track sids in one message", every: .milliseconds(200)) { _ in [emptySids] },
        flood("names of one character and 1.8 MB", every: .milliseconds(200)) { _ in [combiningName] },
        flood("attributes that add up", every: .milliseconds(50)) { turn in
            [frame { $0.updateMetadata.attributes["a\(turn)"] = String(repeating: "x", count: 60_000) }]
        },
        flood("tracks by the thousand", every: .milliseconds(100)) { turn in
            (0..<500).map { number in
                frame {
                    $0.addTrack.cid = "c\(turn)-\(number)"
                    $0.addTrack.name = "n"
                }
            }
        },
        flood("metadata by the thousand", every: .milliseconds(100)) { turn in
            (0..<500).map { number in frame { $0.updateMetadata.metadata = "\(turn)-\(number)" } }
        },
        flood("offers of 500 sections", every: .milliseconds(100)) { _ in Array(repeating: hugeOffer, count: 20) },
        Attack("joins that end at once") { server, end in
            var number = 0
            try await again(until: end, every: .milliseconds(10)) {
                number += 1
                let token = TestTokens.join("half\(number)", room: "wild\(number % 7)")
                try await LiveKitTestClient.join(server.port, token: token).drop()
            }
        },
    ]

    private static let emptySids = frame { $0.subscription.trackSids = Array(repeating: "", count: 1_000_000) }
    private static let combiningName = frame {
        $0.updateMetadata.name = "e" + String(repeating: "\u{301}", count: 900_000)
    }
    private static let hugeOffer = frame {
        $0.offer.type = "offer"
        $0.offer.sdp = "v=0\r\n" + String(repeating: "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n", count: 500)
    }

    /// By those who have no token.
    private static let strangers: [Attack] = [
        Attack("bodies without a token") { server, end in
            let body = [UInt8](repeating: 0x20, count: 2_000_000)
            let head =
                "POST /twirp/livekit.RoomService/ListRooms HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.count)\r\n\r\n"
            try await again(until: end, every: .milliseconds(20)) {
                let client = try await HTTPTestClient.connect(server.port)
                client.send(Array(head.utf8) + body)
                _ = try await client.response()
                client.close()
            }
        },
        Attack("connections that never ask") { server, end in
            var held: [HTTPTestClient] = []
            try await again(until: end, every: .milliseconds(5)) {
                let client = try await HTTPTestClient.connect(server.port)
                client.send("GET /rtc/v1?access_token=")
                if held.count < 600 { held.append(client) } else { held[Int.random(in: 0..<600)] = client }
            }
            for client in held { client.close() }
        },
    ]

    /// By what stands in datagrams.
    private static let packets: [Attack] = [
        media("feedback on packets that were never sent", every: .milliseconds(10)) { mallory, _ in
            for _ in 0..<5 { try await mallory.caller.media.send(rtcp: HostilePacket.runLengthFeedback()) }
        },
        media("requests for 430 packets, ten times each", every: .milliseconds(50)) { mallory, _ in
            guard let film = await mallory.received() else { return }
            for _ in 0..<10 {
                try await mallory.caller.media.send(
                    rtcp: HostilePacket.nack(of: film.ssrc, from: film.sequence &- 429, count: 430))
            }
        },
        media("a source for every packet", every: .milliseconds(10)) { mallory, turn in
            for number in 0..<10 {
                let ssrc = UInt32(turn * 10 + number) &* 2_654_435_761
                try await mallory.caller.media.send(
                    rtp: HostilePacket.video(ssrc: ssrc, sequence: UInt16(truncatingIfNeeded: number)))
            }
        },
        media("data on a way that loses every third packet", every: .milliseconds(5), loss: 0.33) { mallory, _ in
            // Both directions: what they send, and what the victim sends to them. As much as their own queues take.
            for sender in [mallory.caller, mallory.victim] {
                do { try await sender.media.send(message: data) } catch DataChannelError.bufferFull {}
            }
        },
    ]

    private static let data = Livekit_DataPacket.with {
        $0.kind = .reliable
        $0.user.payload = Data(repeating: 7, count: 14_000)
    }.wireBytes
}
