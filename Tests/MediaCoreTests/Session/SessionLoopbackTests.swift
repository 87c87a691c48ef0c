import Dispatch
import MediaCore
import Testing

/// Two media sessions on real sockets, which negotiate with each other without any server between them.
@Suite(.timeLimit(.minutes(10))) struct SessionLoopbackTests {
    /// Passes pictures and sounds on and says when enough of them have come.
    private final class Watch: AudioSink, VideoSink {
        let meter = AudioMeter()
        let card = TestCardSink(expectedSender: 7)
        let sounds: AsyncStream<Void>
        let pictures: AsyncStream<Void>
        private let sound: AsyncStream<Void>.Continuation
        private let picture: AsyncStream<Void>.Continuation

        init() {
            (sounds, sound) = AsyncStream.makeStream(of: Void.self)
            (pictures, picture) = AsyncStream.makeStream(of: Void.self)
        }

        func receive(_ frame: AudioFrame) {
            meter.receive(frame)
            sound.yield()
        }

        func receive(_ frame: VideoFrame) {
            card.receive(frame)
            picture.yield()
        }
    }

    private static func first(_ count: Int, of stream: AsyncStream<Void>) async {
        var left = count
        for await _ in stream {
            left -= 1
            if left == 0 { return }
        }
    }

    /// Carries candidates to the other side and collects tracks until `count` are there.
    private static func tracks(_ count: Int, of session: MediaSession, candidatesTo other: MediaSession) async throws
        -> [RemoteTrack]
    {
        var tracks: [RemoteTrack] = []
        for await event in session.events {
            switch event {
            case .localCandidate(let candidate): try await other.addRemoteCandidate(candidate)
            case .trackAdded(let track):
                tracks.append(track)
                if tracks.count == count { return tracks }
            default: break
            }
        }
        return tracks
    }

    /// Media that was encoded once, to one who only counts it: no codec runs between them.
    @Test func encodedMediaIsSentAndCounted() async throws {
        let engine = MediaEngine()
        let sender = try await MediaSession(engine: engine)
        var far = MediaSessionConfiguration()
        far.isAnswerer = true
        far.reception = .counted
        let receiver = try await MediaSession(engine: engine, configuration: far)
        let card = try TestCardSource(sender: 7, width: 160, height: 90)
        let pictures = try IVFFile(encoding: card, pictures: 30, bitrate: 100_000)
        let sound = try OpusClip(ToneSource(frequency: 440), milliseconds: 200)
        _ = try await sender.addTrack(LocalTrack(.encodedAudio(sound.source()), id: "tone"), streamID: "s")
        _ = try await sender.addTrack(LocalTrack(.encodedVideo(IVFSource(pictures)), id: "card"), streamID: "s")
        async let carried = Self.tracks(0, of: sender, candidatesTo: receiver)
        let answer = try await receiver.createAnswer(to: try await sender.createOffer())
        try await sender.setAnswer(answer)
        _ = try await Self.tracks(2, of: receiver, candidatesTo: sender)
        var counted = await receiver.statistics().receivers
        while counted.contains(where: { $0.framesReceived < 30 }) {
            await Task.yield()
            counted = await receiver.statistics().receivers
        }
        #expect(counted.count == 2 && counted.allSatisfy { $0.framesDecoded == 0 && $0.playedMilliseconds == 0 })
        let sent = await sender.statistics().senders
        #expect(sent.allSatisfy { $0.framesSent >= 30 })
        await sender.close()
        await receiver.close()
        _ = try await carried
        await engine.shutdown()
    }

    @Test(arguments: [SRTPBackendChoice.libcrypto, .libsrtp2])
    func soundAndPicturesArrive(backend: SRTPBackendChoice) async throws {
        let engine = MediaEngine()
        var near = MediaSessionConfiguration()
        near.srtpBackend = backend
        let sender = try await MediaSession(engine: engine, configuration: near)
        var far = MediaSessionConfiguration()
        far.isAnswerer = true
        let receiver = try await MediaSession(engine: engine, configuration: far)
        let card = try TestCardSource(sender: 7, width: 320, height: 180)
        _ = try await sender.addTrack(
            LocalTrack(.audio(ToneSource(frequency: 440), .init()), id: "tone"), streamID: "s")
        let video = try await sender.addTrack(LocalTrack(.video(card, .init()), id: "card"), streamID: "s")
        async let carried = Self.tracks(0, of: sender, candidatesTo: receiver)
        let offer = try await sender.createOffer()
        let answer = try await receiver.createAnswer(to: offer)
        try await sender.setAnswer(answer)
        let tracks = try await Self.tracks(2, of: receiver, candidatesTo: sender)
        #expect(Set(tracks.map(\.trackID)) == ["tone", "card"])
        #expect(tracks.allSatisfy { $0.streamID == "s" })
        let watch = Watch()
        for track in tracks {
            if track.kind == .audio {
                track.attach(watch as any AudioSink)
            } else {
                track.attach(watch as any VideoSink)
            }
        }
        await Self.first(30, of: watch.pictures)
        await Self.first(30, of: watch.sounds)
        let statistics = await receiver.statistics()
        #expect(statistics.srtpProfile == "SRTP_AEAD_AES_128_GCM")
        #expect(statistics.receivers.count == 2)
        #expect(statistics.receivers.allSatisfy { $0.packetsLost == 0 && $0.framesDecoded >= 29 })
        #expect(watch.card.report.missing == 0)
        #expect(watch.card.report.wrongSender == 0)
        let hertz = try #require(watch.meter.measurement.dominantHz)
        #expect(abs(hertz - 440) < 5)
        try await sender.removeTrack(video)
        #expect(await sender.statistics().senders.map(\.trackID) == ["tone"])
        await sender.close()
        await receiver.close()
        _ = try await carried
        await engine.shutdown()
    }

    /// Frames that another key has sealed are counted as such, sound and pictures alike.
    @Test func aWrongKeyIsCounted() async throws {
        let engine = MediaEngine()
        var near = MediaSessionConfiguration()
        near.frameEncryption = FrameEncryption(sharedKey: "correct horse")
        let sender = try await MediaSession(engine: engine, configuration: near)
        var far = MediaSessionConfiguration()
        far.isAnswerer = true
        far.frameEncryption = FrameEncryption(sharedKey: "another horse")
        let receiver = try await MediaSession(engine: engine, configuration: far)
        let card = try TestCardSource(sender: 7, width: 320, height: 180)
        _ = try await sender.addTrack(
            LocalTrack(.audio(ToneSource(frequency: 440), .init()), id: "tone"), streamID: "s")
        _ = try await sender.addTrack(LocalTrack(.video(card, .init()), id: "card"), streamID: "s")
        async let carried = Self.tracks(0, of: sender, candidatesTo: receiver)
        let answer = try await receiver.createAnswer(to: try await sender.createOffer())
        try await sender.setAnswer(answer)
        var counted: [ReceiverStatistics] = []
        for await event in receiver.events {
            switch event {
            case .localCandidate(let candidate): try await sender.addRemoteCandidate(candidate)
            case .trackAdded(let track): track.protection = .encrypted(participant: "sender")
            // The levels stand in the packets' headers, in the clear, and come all the time.
            case .audioLevels: counted = await receiver.statistics().receivers
            default: break
            }
            if counted.count == 2, counted.allSatisfy({ $0.framesUndecryptable > 3 }) { break }
        }
        #expect(Set(counted.map(\.kind)) == [.audio, .video])
        #expect(counted.allSatisfy { $0.framesDecoded == 0 && $0.packetsReceived > 0 })
        #expect(Set(counted.map(\.codec)) == ["opus", "VP8"])
        await sender.close()
        await receiver.close()
        _ = try await carried
        await engine.shutdown()
    }

    /// Whoever has gone before the end has been heard all the same.
    @Test func whatAnEndedTrackHasCountedStays() async throws {
        let engine = MediaEngine()
        let sender = try await MediaSession(engine: engine, configuration: .init())
        var far = MediaSessionConfiguration()
        far.isAnswerer = true
        let receiver = try await MediaSession(engine: engine, configuration: far)
        let tone = try await sender.addTrack(
            LocalTrack(.audio(ToneSource(frequency: 440), .init()), id: "tone"), streamID: "s")
        async let carried = Self.tracks(0, of: sender, candidatesTo: receiver)
        try await sender.setAnswer(receiver.createAnswer(to: sender.createOffer()))
        let watch = Watch()
        for track in try await Self.tracks(1, of: receiver, candidatesTo: sender) {
            track.attach(watch as any AudioSink)
        }
        await Self.first(30, of: watch.sounds)
        // Some of what was heard may have been made up, where the machine is busy.
        let before = try #require(await receiver.statistics().receivers.first)
        try await sender.removeTrack(tone)
        try await sender.setAnswer(receiver.createAnswer(to: sender.createOffer()))
        let statistics = await receiver.statistics()
        #expect(statistics.receivers.isEmpty)
        #expect(statistics.endedReceivers.map(\.trackID) == ["tone"])
        #expect(statistics.endedReceivers.map(\.streamID) == ["s"])
        #expect(before.packetsReceived > 0 && before.framesDecoded > 0)
        #expect(
            statistics.endedReceivers.allSatisfy {
                $0.packetsReceived >= before.packetsReceived && $0.framesDecoded >= before.framesDecoded
            })
        await sender.close()
        await receiver.close()
        _ = try await carried
        await engine.shutdown()
    }

    /// Keeps its thread until it is told to go on.
    private final class BlockingSink: AudioSink {
        let gate = DispatchSemaphore(value: 0)
        let entered = AsyncStream.makeStream(of: Void.self)

        func receive(_ frame: AudioFrame) {
            entered.continuation.yield()
            gate.wait()
        }
    }

    /// A sink that takes its time holds up other sinks, but not what is sent.
    @Test func aSinkThatBlocksDoesNotHoldUpWhatIsSent() async throws {
        var threads = MediaEngine.Configuration()
        threads.workers = 1
        let engine = MediaEngine(configuration: threads)
        let sender = try await MediaSession(engine: engine)
        var far = MediaSessionConfiguration()
        far.isAnswerer = true
        let receiver = try await MediaSession(engine: engine, configuration: far)
        _ = try await sender.addTrack(LocalTrack(.audio(ToneSource(frequency: 440), .init()), id: "tone"))
        async let carried = Self.tracks(0, of: sender, candidatesTo: receiver)
        try await sender.setAnswer(receiver.createAnswer(to: sender.createOffer()))
        let sink = BlockingSink()
        for track in try await Self.tracks(1, of: receiver, candidatesTo: sender) { track.attach(sink) }
        await Self.first(1, of: sink.entered.stream)
        let before = await sender.statistics().senders[0].packetsSent
        while await sender.statistics().senders[0].packetsSent < before + 20 { await Task.yield() }
        for _ in 0..<100_000 { sink.gate.signal() }
        await sender.close()
        await receiver.close()
        _ = try await carried
        await engine.shutdown()
    }

    @Test(arguments: [
        "", "v=0", "not sdp at all", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=audio nine X 0\r\n",
    ])
    func aBrokenOfferIsAnError(sdp: String) async throws {
        let engine = MediaEngine()
        let session = try await MediaSession(engine: engine)
        await #expect(throws: SessionError.self) {
            _ = try await session.createAnswer(to: SessionDescription(kind: .offer, sdp: sdp))
        }
        await #expect(throws: SessionError.self) {
            try await session.setAnswer(SessionDescription(kind: .answer, sdp: sdp))
        }
        await session.close()
        await engine.shutdown()
    }

    @Test func anUnknownHostIsNamed() async throws {
        let engine = MediaEngine()
        var configuration = MediaSessionConfiguration()
        configuration.remoteHint = "host.invalid"
        let error = await #expect(throws: MediaError.self) {
            _ = try await MediaSession(engine: engine, configuration: configuration)
        }
        #expect(error?.description.contains("host.invalid") == true)
        await engine.shutdown()
    }
}
