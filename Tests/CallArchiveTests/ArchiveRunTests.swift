import CallBridge
import Foundation
import ProviderFake
import RTCWire
import Synchronization
import Testing

@testable import CallArchive
@testable import MediaCore

/// Archives of simulated calls: real media over a simulated network, in virtual time.
@Suite(.timeLimit(.minutes(10))) struct ArchiveRunTests {
    private static func join(_ name: String, _ world: FakeWorld) async throws -> Call {
        let descriptor = CallDescriptor(
            callId: "room", conversationId: "room", provider: .fake, serviceProviderCallId: "room",
            endpoint: "fake:world?identity=\(name)", credentials: .init(token: nil))
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [.fake(world)])
        configuration.clock = world.clock
        configuration.media.reception = .counted
        return try await CallBridge(configuration: configuration).join(conversation: "room")
    }

    /// Sound and pictures of one participant are streams of their own, each with a recording of its own, and yet in step: a
    /// tone that begins when the card shows a certain time is heard then in the composed file.
    @Test func streamsOfOneParticipantAreInStep() async throws {
        let (scratch, world) = (try Scratch(), try FakeWorld(seed: 3))
        await world.setNetwork(delayMilliseconds: 40, jitterMilliseconds: 10, lossPercent: 1)
        let ada = try await Self.join("ada", world)
        let tone = try await ada.publish(.testTone(440))[0]
        try await ada.setMuted(true, tone)
        try await ada.publish(.testCard(.init(width: 320, height: 180, frameRate: 25)))
        let ended = Mutex(false)
        var archive = RoomArchive(id: "a", session: "room", width: 1_280, height: 720, createdAt: 0)
        archive.project = "100"
        let run = try ArchiveRun(archive, in: scratch.path, streamNames: .streams, clock: world.clock) { archive in
            if archive.isComplete { ended.withLock { $0 = true } }
        }
        let begun = world.clock.now
        await run.follow(try await Self.join("recorder", world))
        while await run.archive.streams.count < 2 { await world.pass(milliseconds: 20) }
        await world.pass(milliseconds: 2_000)
        let spoken = Int64(world.clock.now.nanoseconds - begun.nanoseconds) / 1_000_000
        try await ada.setMuted(false, tone)
        await world.pass(milliseconds: 2_500)
        await run.handle(.stop)
        let state = await run.archive.state
        #expect(ended.withLock { $0 } && state == .available)

        let path = scratch.file("100/a/archive.webm")
        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        let composed = try Composed(path: path, size: size)
        let onset = try #require(
            stride(from: 1_000, to: Int(spoken) + 1_500, by: 5).first {
                composed.strength(of: 440, at: $0 - 200 + 20) > 0.005
            })
        let tile = try #require(
            ArchiveLayout.bestFit.tiles([LayoutStream("v", width: 320, height: 180)], width: 1_280, height: 720).first)
        let shown = Int64(onset) + 500
        let card = try #require(composed.card(tile, at: shown))
        let captured = Int64(card.timeMicroseconds) / 1_000 - begun.nanoseconds / 1_000_000
        let (soundLag, pictureLag) = (Int64(onset) - spoken, shown - captured)
        #expect(abs(soundLag - pictureLag) < 60, "sound \(soundLag) ms late, pictures \(pictureLag) ms")
        await ada.leave()
        await world.close()
    }

    /// Pictures that take longer than the sound are moved to where their sender has put them.
    @Test(arguments: [(1_000, 1_060, -60), (1_060, 1_000, 60), (0, 5_000, 0)] as [(Int64, Int64, Int64)])
    func picturesFollowTheirSendersSound(sound: Int64, pictures: Int64, moved: Int64) {
        func recording(_ stream: String, _ owner: String, isScreen: Bool = false) -> ArchiveRecording {
            ArchiveRecording(
                recorder: StreamRecorder { "/dev/null" }, stream: stream, owner: owner, isScreen: isScreen, kinds: [])
        }
        var (heard, seen, both) = (StreamRecorder.Result(), StreamRecorder.Result(), StreamRecorder.Result())
        heard.soundClock = sound * 1_000_000
        seen.pictureClock = pictures * 1_000_000
        both.soundClock = 7
        let (voice, face) = (recording("a", "ada"), recording("v", "ada"))
        let all = [
            (recording("x", "bob"), both), (recording("y", "ada", isScreen: true), both), (face, seen), (voice, heard),
        ]
        #expect(face.lag(seen, behind: all) == moved)
        #expect(voice.lag(heard, behind: all) == 0 && face.lag(seen, behind: [(face, seen)]) == 0)
    }
}
