import CAllocations
import Testing

@testable import MediaCore

/// What a frame takes from the heap on its way from one session to another, both ends and the simulated network between
/// them counted: packets are made, sealed, opened, put in order, frames assembled and counted. Codecs do nothing here.
@Suite struct FrameAllocationTests {
    private static func call() throws -> MachinePair {
        let card = try TestCardSource(sender: 1, width: 320, height: 180, frameRate: 15)
        let clip = try IVFFile(encoding: card, pictures: 30, bitrate: 300_000)
        let sound = try OpusClip(ToneSource(frequency: 440), milliseconds: 1000)
        let pair = try MachinePair { configuration, _ in configuration.reception = .counted }
        for (id, media) in [
            ("tone", LocalTrack.Media.encodedAudio(sound.source())), ("card", .encodedVideo(IVFSource(clip))),
        ] {
            try pair.perform(pair.ada) { machine, _, _ in
                _ = try machine.addTrack(LocalTrack(media, id: id), streamID: "ada")
            }
        }
        try pair.negotiate()
        try #require(pair.connect())
        return pair
    }

    /// 50 frames of sound and 15 pictures a second: a bounded number each, and no more the longer it lasts.
    @Test func aFrameTakesABoundedNumber() throws {
        guard allocations_of_this_thread() >= 0 else { return }
        let pair = try Self.call()
        // Rings have their size.
        pair.pass(seconds: 10)
        var taken: [Int] = []
        for _ in 0..<3 {
            let before = allocations_of_this_thread()
            pair.pass(seconds: 10)
            taken.append(allocations_of_this_thread() - before)
        }
        let perFrame = taken.map { Double($0) / 650 }
        print("allocations a frame, both ends and the network: \(perFrame)")
        let received = pair.statistics(pair.bob).receivers
        #expect(received.map(\.framesReceived).min() ?? 0 > 550)
        #if DEBUG && !OPTIMIZED_ENGINES
            // A debug build keeps the frames of accessors on the heap.
            #expect(perFrame.allSatisfy { $0 < 200 })
        #else
            #expect(perFrame.allSatisfy { $0 < 40 })
        #endif
        #expect(Double(taken[2]) < 1.1 * Double(taken[0]))
    }
}
