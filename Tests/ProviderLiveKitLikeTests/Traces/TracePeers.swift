import LiveKitProtocol
import MediaCore

@testable import ProviderLiveKitLike

/// The live peers behind the recorded server, one for each media connection of the present session.
actor TracePeers {
    private let engine: MediaEngine
    private var publisher: TracePeer?
    private var subscriber: TracePeer?
    private var carrier: TraceDescription?
    private var all: [TracePeer] = []

    init(_ engine: MediaEngine) { self.engine = engine }

    /// A new session.
    func begin() async throws {
        let (first, second) = (
            try await TracePeer(engine, isAnswerer: true), try await TracePeer(engine, isAnswerer: false)
        )
        (publisher, subscriber, carrier) = (first, second, nil)
        all += [first, second]
    }

    func note(_ message: Livekit_SignalRequest) async throws {
        guard case .trickle(let trickle) = message.message,
            let candidate = CandidateJSON.decode(trickle.candidateInit)
        else { return }
        try await peer(trickle.target)?.add(candidate)
    }

    private func peer(_ target: Livekit_SignalTarget) -> TracePeer? { target == .subscriber ? subscriber : publisher }

    func answer(_ offer: String, as recorded: String) async throws -> String {
        guard let publisher else { throw TraceError("there is no session") }
        return try await publisher.answer(offer).directed(as: TraceDescription(recorded)).sdp
    }

    func carry(_ offer: String) async throws -> String {
        guard let subscriber else { throw TraceError("there is no session") }
        if carrier == nil { carrier = try await subscriber.offer() }
        guard let carrier else { return offer }
        return TraceDescription(offer).carried(by: carrier).sdp
    }

    func takeAnswer(_ answer: String) async throws { try await subscriber?.take(answer) }

    func candidate(_ target: Livekit_SignalTarget) async -> SessionCandidate? { await peer(target)?.candidate() }

    func close() async {
        for peer in all { await peer.close() }
    }
}
