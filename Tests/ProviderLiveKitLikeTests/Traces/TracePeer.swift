import MediaCore

/// The media side of the recorded server, alive: what the recording can't do is connect.
actor TracePeer {
    private let media: MediaSession
    private let candidates: AsyncStream<SessionCandidate>
    private let listening: Task<Void, Never>
    private var isDescribed = false
    private var waiting: [SessionCandidate] = []

    init(_ engine: MediaEngine, isAnswerer: Bool) async throws {
        var configuration = MediaSessionConfiguration()
        configuration.bindAddress = "127.0.0.1"
        configuration.isAnswerer = isAnswerer
        let media = try await MediaSession(engine: engine, configuration: configuration)
        let (stream, found) = AsyncStream.makeStream(of: SessionCandidate.self)
        self.media = media
        candidates = stream
        listening = Task {
            for await event in media.events {
                if case .localCandidate(let candidate) = event { found.yield(candidate) }
            }
            found.finish()
        }
    }

    /// An offer with the one section that a subscriber's connection begins with.
    func offer() async throws -> TraceDescription {
        try await media.addDataSection()
        return TraceDescription(try await media.createOffer().sdp)
    }

    func answer(_ offer: String) async throws -> TraceDescription {
        let answer = try await media.createAnswer(to: SessionDescription(kind: .offer, sdp: offer))
        try await described()
        return TraceDescription(answer.sdp)
    }

    /// Takes the first answer; the sections that come later are none of this peer's.
    func take(_ answer: String) async throws {
        guard !isDescribed else { return }
        try await media.setAnswer(SessionDescription(kind: .answer, sdp: TraceDescription(answer).first.sdp))
        try await described()
    }

    func add(_ candidate: SessionCandidate) async throws {
        guard isDescribed else { return waiting.append(candidate) }
        try await media.addRemoteCandidate(candidate)
    }

    private func described() async throws {
        isDescribed = true
        for candidate in waiting { try await media.addRemoteCandidate(candidate) }
        waiting = []
    }

    /// The first candidate of ours.
    func candidate() async -> SessionCandidate? {
        for await candidate in candidates { return candidate }
        return nil
    }

    func close() async {
        await media.close()
        await listening.value
    }
}
