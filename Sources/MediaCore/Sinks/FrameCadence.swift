/// Fits pictures that come at any time into the even intervals of a frame rate.
struct FrameCadence: Sendable {
    private let frameRate: Int
    private let longestPause: Int64
    /// The time of interval 0.
    private var origin: Int64?
    /// Intervals that have a picture.
    private var filled: Int64 = 0

    /// - Parameters:
    ///   - frameRate: pictures a second, 1 or more.
    ///   - maximumPause: seconds that lie between two pictures at most.
    init(frameRate: Int, maximumPause: Double) {
        self.frameRate = max(1, frameRate)
        longestPause = max(1, Int64(maximumPause * Double(frameRate)))
    }

    /// Gives the picture of `time` its interval.
    ///
    /// - Returns: how many intervals before it the picture before has to fill; nil where its interval has a picture.
    mutating func place(_ time: MediaTime) -> Int? {
        guard let origin else {
            self.origin = time.nanoseconds
            filled = 1
            return 0
        }
        let index = interval(time.nanoseconds &- origin)
        guard index >= filled else {
            // So far back goes no picture: the clock was set anew.
            if filled - index > longestPause { self.origin = time.nanoseconds &- duration(filled) }
            return nil
        }
        let pause = min(index - filled, longestPause)
        // What was longer moves the line, so that the pictures after it keep their distances.
        self.origin = origin &+ duration(index - filled - pause)
        filled += pause + 1
        return Int(pause)
    }

    /// The nearest interval.
    private func interval(_ time: Int64) -> Int64 {
        Int64((Double(time) / 1e9 * Double(frameRate)).rounded())
    }

    private func duration(_ intervals: Int64) -> Int64 {
        Int64(min(Double(intervals) / Double(frameRate) * 1e9, 9e18))
    }
}
