import RTCWire
import Testing

@testable import MediaCore

@Suite struct CodingPaceTests {
    private var pace = CodingPace()

    private mutating func code(_ microseconds: Int, times: Int, frames: Int = 1) {
        for _ in 0..<times { pace.note(.microseconds(microseconds), frames: frames) }
    }

    @Test mutating func aSecondOfQuickFramesIsTrusted() {
        code(200, times: 49)
        #expect(!pace.isBrief)
        code(200, times: 1)
        #expect(pace.isBrief)
    }

    /// A source that reads a slow disk, say, must not hold up a loop twice.
    @Test mutating func oneSlowFrameEndsIt() {
        code(200, times: 100)
        code(5_000, times: 1)
        #expect(!pace.isBrief)
        code(200, times: 49)
        #expect(!pace.isBrief)
        code(200, times: 1)
        #expect(pace.isBrief)
    }

    /// What was made up for in one go is judged by the frame.
    @Test mutating func severalFramesMayTakeLonger() {
        code(200, times: 50)
        code(1_500, times: 1, frames: 4)
        #expect(pace.isBrief)
        code(1_700, times: 1, frames: 4)
        #expect(!pace.isBrief)
    }
}
