import CAllocations
import CallBridge
import MediaCore
import ProviderFake
import Testing

/// A long call through the real sessions and the real room, in virtual time.
@Suite struct HourCallTests {
    private static let names = ["ada", "bob", "cleo", "dan", "eve", "fay"]

    /// Bytes of the heap that are in use.
    private var heap: Int { heap_in_use() }

    /// In a process of its own: what other tests hold is no part of it.
    @Test(.timeLimit(.minutes(10))) func anHourOfSixUnderLossIsWholeAndBounded() async throws {
        try await Self.process.run("HourCallTests/theCallItself")
    }

    private static let process = OwnProcess(mark: "CALLBRIDGE_HOUR_CALL")

    @Test(.enabled(if: HourCallTests.process.isHere))
    func theCallItself() async throws {
        let world = try FakeWorld(seed: 7)
        await world.setNetwork(delayMilliseconds: 30, jitterMilliseconds: 5, lossPercent: 3)
        // They speak in turn.
        let clips = try LongCallClips(frequency: 300, turnMilliseconds: 24_000)
        var calls: [Call] = []
        for (index, name) in Self.names.enumerated() {
            let call = try await world.join(name, "hour") { $0.media.reception = .counted }
            try await call.publish(
                track: LocalTrack(.encodedAudio(clips.sound.source(from: index * 200))), source: .microphone)
            try await call.publish(
                track: LocalTrack(.encodedVideo(IVFSource(clips.pictures))), source: .camera)
            calls.append(call)
        }
        await world.pass(milliseconds: 600_000)
        let early = heap
        await world.pass(milliseconds: 3_000_000)
        let late = heap
        for call in calls {
            let counted = await call.statistics()
            let received = counted.receivers
            let spoken = try #require(counted.senders.first { $0.kind == .audio }).framesSent
            #expect(received.count == 10)
            for track in received where track.kind == .video {
                #expect(track.framesReceived > 3_570, "of 3,600 pictures")
                #expect(track.packetsRecovered > 25)
            }
            for track in received where track.kind == .audio {
                #expect(spoken > 5_000 && track.framesReceived > spoken * 99 / 100, "of \(spoken)")
            }
            #expect(await call.state == .active)
        }
        #expect(late - early < 4_000_000, "the heap grew by \(late - early) bytes in 50 minutes")
        for call in calls { await call.leave() }
        await world.close()
    }
}
