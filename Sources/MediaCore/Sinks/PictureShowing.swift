/// When pictures with new numbers were given out: how many, and for how long there was none.
public struct PictureShowing: Sendable, Hashable {
    /// A time without a new picture.
    public struct Pause: Sendable, Hashable {
        /// When the picture before it came.
        public var start: MediaTime
        /// Until the next one came.
        public var seconds: Double

        /// Makes a pause from its parts.
        public init(start: MediaTime, seconds: Double) {
            self.start = start
            self.seconds = seconds
        }
    }

    /// Pictures with a number above all before.
    public private(set) var pictures = 0
    /// When the first of them came.
    public private(set) var first: MediaTime?
    /// When the last of them came.
    public private(set) var last: MediaTime?
    /// The longest interval between two of them.
    public private(set) var longest: Pause?
    /// Intervals of more than 200 ms, the first 256.
    public private(set) var pauses: [Pause] = []
    /// How many of these there were.
    public private(set) var pauseCount = 0
    /// Their sum in seconds.
    public private(set) var pausedSeconds = 0.0

    /// Seconds. Six intervals of 30 pictures a second: who watches sees it stand.
    static let leastPause = 0.2
    private static let mostPauses = 256

    /// Nothing was given out.
    public init() {}

    /// A picture with a new number came.
    mutating func note(_ time: MediaTime) {
        pictures += 1
        defer { last = time }
        guard let last else { return first = time }
        let pause = Pause(start: last, seconds: time.seconds - last.seconds)
        if pause.seconds > longest?.seconds ?? 0 { longest = pause }
        guard pause.seconds > Self.leastPause else { return }
        pauseCount += 1
        pausedSeconds += pause.seconds
        if pauses.count < Self.mostPauses { pauses.append(pause) }
    }
}
