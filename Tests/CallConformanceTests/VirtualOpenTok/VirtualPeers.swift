import MediaCore
import OpenTokClient
import OpenTokSignalling
import RTCSim

@testable import ProviderFake
@testable import ProviderOpenTokLike

/// A session's media connections as simulated clients: the media of agents, without sockets and workers.
// Touched in the world's turns alone, which are the session's.
final class VirtualPeers: PeerMedia, @unchecked Sendable {
    private struct Connection {
        let client: FakeClient
        var sent: [SentChannel]
    }

    private let place: VirtualPlace
    private let configuration: MediaSessionConfiguration
    private weak var session: OpenTokLikeSession?
    private var connections: [RaptorPeer: Connection] = [:]
    private var published: [String: PublishedStream] = [:]
    private var counted = SessionStatistics()

    init(_ place: VirtualPlace, _ configuration: MediaSessionConfiguration) {
        self.place = place
        self.configuration = configuration
    }

    func report(to session: OpenTokLikeSession) { self.session = session }
    func publish(_ stream: PublishedStream, id: String) { published[id] = stream }
    func withdraw(stream: String) { published[stream] = nil }

    func perform(_ action: PeerAction, _ peer: RaptorPeer) {
        do { try execute(action, peer) } catch { report(.report(.broken("\(error)"), peer)) }
    }

    nonisolated(nonsending) func statistics() async -> SessionStatistics {
        var result = SessionStatistics()
        for connection in connections.values { result.add(connection.client.statistics()) }
        result.addReplaced(counted)
        return result
    }

    nonisolated(nonsending) func close() async { for peer in Array(connections.keys) { close(peer) } }

    /// In a turn of its own: it may come from within the simulation's.
    private func report(_ input: PeerInput) {
        place.house.simulation.schedule(at: place.house.simulation.now) { [weak session] in
            session?.assumeIsolated { $0.take(input) }
        }
    }

    private func execute(_ action: PeerAction, _ peer: RaptorPeer) throws {
        let client = connections[peer]?.client
        switch action {
        case .openPublisher(let stream, _): try open(peer, published[stream]?.copies() ?? [], isAnswerer: false)
        case .openSubscriber: try open(peer, [], isAnswerer: true)
        case .createOffer(let isRestart):
            let offer = try client?.perform { machine, now, out in
                try machine.createOffer(restartingICE: isRestart, now: now, into: out).sdp
            }
            if let offer { report(.report(.offerMade(sdp: offer), peer)) }
        case .answer(let offer):
            let answer = try client?.perform { machine, now, out in
                try machine.createAnswer(to: SessionDescription(kind: .offer, sdp: offer), now: now, into: out).sdp
            }
            if let answer { report(.report(.answerMade(sdp: answer), peer)) }
        case .setAnswer(let sdp):
            try client?.perform { machine, now, out in
                try machine.setAnswer(SessionDescription(kind: .answer, sdp: sdp), now: now, into: out)
            }
        case .addCandidate(let candidate):
            let known = SessionCandidate(
                candidate: candidate.candidate, mid: candidate.sdpMid, lineIndex: candidate.sdpMLineIndex)
            client?.perform { machine, now, out in machine.addRemoteCandidate(known, now: now, into: out) }
        case .prefer(let wish, let channel):
            guard let sent = connections[peer]?.sent.first(where: { $0.id == channel }) else { return }
            sent.copy.follow(wish)
            client?.perform { machine, _, _ in
                if let sender = sent.sender { machine.setTargetBitrate(sent.copy.bitrate, of: sender) }
            }
        case .close: close(peer)
        }
    }

    private func open(_ peer: RaptorPeer, _ sent: [SentChannel], isAnswerer: Bool) throws {
        close(peer)
        var configuration = self.configuration
        configuration.isAnswerer = isAnswerer
        let house = place.house
        let client = try FakeClient(
            house.simulation, number: house.address(of: peer, at: place.connection).number, seed: house.seed,
            media: configuration, certificate: house.certificate)
        client.onEvent = { [weak self] event in
            guard case .session(let event) = event else { return }
            for input in PeerInput.inputs(event, peer) { self?.report(input) }
        }
        var sent = sent
        connections[peer] = Connection(client: client, sent: sent)
        for index in sent.indices {
            sent[index].sender = try client.perform { machine, _, _ in
                try machine.addTrack(sent[index].copy.track, streamID: peer.stream)
            }
        }
        connections[peer]?.sent = sent
    }

    private func close(_ peer: RaptorPeer) {
        guard let connection = connections.removeValue(forKey: peer) else { return }
        for channel in connection.sent { channel.release() }
        counted.addReplaced(connection.client.statistics())
        connection.client.close()
    }
}
