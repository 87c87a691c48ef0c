import RTCWire
import Testing

@testable import MediaCore

@Suite struct KeyFramePacingTests {
    /// Pictures at 30 a second for two seconds; gives the times of the key frames, ms.
    private func keyFrames(requested: (Int) -> Bool, needed: (Int) -> Bool = { _ in false }) -> [Int] {
        var pacing = KeyFramePacing()
        var isRequested = false
        var times: [Int] = []
        for picture in 0..<60 {
            let now = Instant.zero + .milliseconds(picture * 33)
            if requested(picture) { isRequested = true }
            guard pacing.wants(isNeeded: needed(picture), isRequested: isRequested, now: now) else { continue }
            isRequested = false
            pacing.made(at: now)
            times.append(picture * 33)
        }
        return times
    }

    @Test func aRequestForEachPictureGivesThreeKeyFramesASecond() {
        let times = keyFrames { _ in true }
        #expect(times.count == 6)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 300 })
    }

    @Test func theLastRequestIsNotLost() {
        #expect(keyFrames { $0 == 3 || $0 == 5 } == [99, 429], "the second waits for its time")
    }

    @Test func whatIsNeededComesAtOnce() {
        #expect(keyFrames(requested: { $0 == 0 }, needed: { $0 == 2 }) == [0, 66])
    }
}
