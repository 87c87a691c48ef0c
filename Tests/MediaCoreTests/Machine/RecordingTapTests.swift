import RTCSim
import RTCWire
import Synchronization
import Testing

@testable import MediaCore

/// What a recorder gets of a track, in virtual time.
@Suite struct RecordingTapTests {
    private final class Tape: ReceivedFrameSink {
        private let taken = Mutex<[ReceivedFrame]>([])
        var frames: [ReceivedFrame] { taken.withLock { $0 } }
        func receive(_ frame: ReceivedFrame) { taken.withLock { $0.append(frame) } }
    }

    private static func call(
        _ reception: MediaReception, _ conditions: NetworkConditions = NetworkConditions(delay: .milliseconds(10))
    ) throws -> MachinePair {
        let pair = try MachinePair(conditions) { configuration, _ in configuration.reception = reception }
        let card = try TestCardSource(sender: 3, width: 320, height: 180, frameRate: 15)
        let tracks = [
            LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding()), id: "tone"),
            LocalTrack(.video(card, VideoEncoding(bitrate: 300_000)), id: "card"),
        ]
        for track in tracks {
            try pair.perform(pair.ada) { machine, _, _ in _ = try machine.addTrack(track, streamID: "ada") }
        }
        try pair.negotiate()
        try #require(pair.connect())
        return pair
    }

    @Test(arguments: MediaReception.allCases)
    func framesComeAsTheyWereSent(reception: MediaReception) throws {
        let pair = try Self.call(reception)
        let tapes = [Tape(), Tape()]
        for (track, tape) in zip(pair.bob.tracks, tapes) { track.record(to: tape) }
        pair.pass(seconds: 10)
        let sound = tapes[0].frames
        // The first of all may be on its way already.
        let pictures = tapes[1].frames.drop { !$0.isKeyFrame }
        #expect((490...501).contains(sound.count) && sound.allSatisfy { $0.codec == .opus })
        #expect(zip(sound, sound.dropFirst()).allSatisfy { $1.timestamp &- $0.timestamp == 960 })
        #expect((140...151).contains(pictures.count) && pictures.allSatisfy { $0.codec == .vp8 })
        // Both clocks, once the sender has reported.
        #expect(sound.last?.clock != nil && pictures.last?.clock != nil)
        let decoder = try VP8Decoder()
        for picture in pictures {
            #expect(try picture.payload.withUnsafeBytes { try decoder.decode($0) } != nil)
        }
    }

    private final class Tail: EncodedFrameMarker {
        private let marked = Atomic<Int>(0)
        var count: Int { marked.load(ordering: .relaxed) }

        /// Every tenth frame is left out.
        func mark(_ frame: inout [UInt8], stream: Int, isKeyFrame: Bool, at time: MediaTime) -> Bool {
            guard marked.wrappingAdd(1, ordering: .relaxed).newValue % 10 != 0 else { return false }
            frame += Array("tail".utf8)
            return true
        }
    }

    /// Frames are marked behind their encoder and before they are encrypted; who counts them has them open.
    @Test(arguments: [nil, "between us"])
    func framesHaveTheirMarkWhereTheyAreCounted(key: String?) throws {
        let pair = try MachinePair(NetworkConditions(delay: .milliseconds(10))) { configuration, _ in
            configuration.reception = .counted
            configuration.frameEncryption = key.map { FrameEncryption(sharedKey: $0) }
        }
        let card = try TestCardSource(sender: 3, width: 320, height: 180, frameRate: 15)
        let tails = [Tail(), Tail()]
        let tracks = [
            LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding()), name: "tone", marker: tails[0]),
            LocalTrack(.video(card, VideoEncoding(bitrate: 300_000)), name: "card", marker: tails[1]),
        ]
        for track in tracks {
            try pair.perform(pair.ada) { machine, _, _ in _ = try machine.addTrack(track, streamID: "ada") }
        }
        try pair.negotiate()
        try #require(pair.connect())
        let tapes = [Tape(), Tape()]
        for (track, tape) in zip(pair.bob.tracks, tapes) {
            track.protection = key == nil ? .clear : .encrypted(participant: "ada")
            track.record(to: tape)
        }
        pair.pass(seconds: 5)
        for (tape, tail) in zip(tapes, tails) {
            #expect(tape.frames.count > 50 && tape.frames.count < tail.count)
            #expect(tape.frames.allSatisfy { $0.payload.suffix(4).elementsEqual("tail".utf8) })
        }
    }

    @Test func whoBeginsLaterIsSentAKeyFrame() throws {
        let pair = try Self.call(.counted)
        pair.pass(seconds: 5)
        let tape = Tape()
        let track = try #require(pair.bob.tracks.last)
        track.record(to: tape)
        pair.pass(seconds: 2)
        #expect(tape.frames.prefix(10).contains { $0.isKeyFrame })
        track.stopRecording(to: tape)
        let count = tape.frames.count
        pair.pass(seconds: 1)
        #expect(tape.frames.count == count)
    }

    private final class Count: ReceivedFrameCounter {
        struct Sums {
            var frames = 0
            var packets = 0
            var bytes = 0
        }
        private let sums = Mutex(Sums())
        var counted: Sums { sums.withLock { $0 } }
        func count(_ frame: UnsafeRawBufferPointer, packets: Int, isKeyFrame: Bool) {
            sums.withLock {
                $0 = Sums(frames: $0.frames + 1, packets: $0.packets + packets, bytes: $0.bytes + frame.count)
            }
        }
    }

    @Test(arguments: MediaReception.allCases)
    func aCounterCountsEveryFrameAndAsksForNone(reception: MediaReception) throws {
        let pair = try Self.call(reception)
        let counts = [Count(), Count()]
        for (track, count) in zip(pair.bob.tracks, counts) { track.count(by: count) }
        pair.pass(seconds: 10)
        for (receiver, count) in zip(pair.statistics(pair.bob).receivers, counts) {
            // The newest picture may not be whole.
            #expect(receiver.framesReceived - count.counted.frames <= 1)
            #expect((0...20).contains(receiver.packetsReceived - count.counted.packets))
            #expect(count.counted.bytes > 10_000)
            #expect(receiver.keyFrameRequestsSent == 0)
        }
        pair.bob.tracks.last?.detachAll()
        let before = counts[1].counted.frames
        pair.pass(seconds: 1)
        #expect(counts[1].counted.frames == before)
    }

    @Test func whatWasLostIsRepairedFirst() throws {
        var conditions = NetworkConditions(delay: .milliseconds(20))
        conditions.loss = 0.05
        let pair = try Self.call(.counted, conditions)
        let tape = Tape()
        try #require(pair.bob.tracks.last).record(to: tape)
        pair.pass(seconds: 20)
        #expect(tape.frames.count > 280)
        #expect(
            zip(tape.frames, tape.frames.dropFirst()).allSatisfy { Int32(bitPattern: $1.timestamp &- $0.timestamp) > 0 }
        )
    }
}
