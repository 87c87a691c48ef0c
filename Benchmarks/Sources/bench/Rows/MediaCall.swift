import MediaCore

/// A participant that publishes to another one, each with an engine and thus threads of its own.
final class MediaCall: Sendable {
    private let sender: Side
    private let receiver: Side
    private let tracks: [LocalTrack]

    private struct Side: Sendable {
        let engine: MediaEngine
        let clock: ThreadGroupClock
        let session: MediaSession

        init() async throws {
            var threads = MediaEngine.Configuration()
            threads.workers = 1
            (engine, clock) = ThreadGroupClock.ofThreads { MediaEngine(configuration: threads) }
            var configuration = MediaSessionConfiguration()
            configuration.bindAddress = "127.0.0.1"
            session = try await MediaSession(engine: engine, configuration: configuration)
        }

        func close() async {
            await session.close()
            await engine.shutdown()
        }
    }

    init(_ content: MediaContent) async throws {
        sender = try await Side()
        receiver = try await Side()
        tracks = [
            LocalTrack(.audio(try content.speech(), AudioEncoding())),
            LocalTrack(.video(content.video(), VideoEncoding())),
        ]
        for track in tracks { _ = try await sender.session.addTrack(track) }
        async let first: Void = MediaCall.follow(sender.session, peer: receiver.session)
        async let second: Void = MediaCall.follow(receiver.session, peer: sender.session)
        let offer = try await sender.session.createOffer()
        try await sender.session.setAnswer(try await receiver.session.createAnswer(to: offer))
        _ = try await (first, second)
        for track in tracks { track.isMuted = true }
    }

    /// Carries a session's candidates to the other one, until it is connected.
    private static func follow(_ session: MediaSession, peer: MediaSession) async throws {
        var events = session.events.makeAsyncIterator()
        while let event = await events.next() {
            switch event {
            case .localCandidate(let candidate): try await peer.addRemoteCandidate(candidate)
            case .failed(let reason): throw BenchError(reason)
            case .connected: return
            default: break
            }
        }
        throw BenchError("the session ended before it was connected")
    }

    /// Publishes for `seconds`.
    func window(seconds: Double) async throws -> MediaCost {
        for track in tracks { track.isMuted = false }
        // The key frame that follows a pause is not measured.
        try await Task.sleep(for: .milliseconds(CodecsAlone.leadMilliseconds))
        let before = (sender.clock.nanoseconds, receiver.clock.nanoseconds)
        let frames = await receiver.session.statistics().framesDecoded
        let start = ContinuousClock.now
        try await Task.sleep(for: .seconds(seconds))
        let spent = (sender.clock.nanoseconds - before.0, receiver.clock.nanoseconds - before.1)
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let decoded = await receiver.session.statistics().framesDecoded - frames
        for track in tracks { track.isMuted = true }
        guard Double(decoded) > 0.9 * MediaContent.frameRate * seconds else {
            throw BenchError("only \(decoded) pictures were decoded in \(seconds.fixed(1)) s")
        }
        return MediaCost(sending: Double(spent.0) / 1e6 / elapsed, receiving: Double(spent.1) / 1e6 / elapsed)
    }

    func close() async {
        await sender.close()
        await receiver.close()
    }
}

extension SessionStatistics {
    fileprivate var framesDecoded: Int { receivers.filter { $0.kind == .video }.reduce(0) { $0 + $1.framesDecoded } }
}
