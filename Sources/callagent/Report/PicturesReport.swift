import MediaCore

/// When the pictures of a test card were given out: decoded, or shown with `--video-playout rendered`.
struct PicturesReport: Codable {
    /// A time without a new picture.
    struct Pause: Codable {
        /// Milliseconds from the first picture to the last one before the pause.
        var atMs: Double
        var ms: Double
    }

    /// Pictures with a number above all before.
    var count: Int
    /// When the first and the last of them came: seconds of the machine's monotonic clock, which all processes share.
    var firstSeconds: Double?
    var lastSeconds: Double?
    /// The longest time between two of them.
    var longestPauseMs: Double
    /// Times of more than 200 ms between two of them: how many, their sum, and the first 256.
    var pauseCount: Int
    var pausedMs: Double
    var pauses: [Pause]
}

extension PicturesReport {
    init(_ showing: PictureShowing) {
        let first = showing.first?.seconds ?? 0
        func tenths(_ seconds: Double) -> Double { (seconds * 10_000).rounded() / 10 }
        self.init(
            count: showing.pictures, firstSeconds: showing.first?.seconds, lastSeconds: showing.last?.seconds,
            longestPauseMs: tenths(showing.longest?.seconds ?? 0), pauseCount: showing.pauseCount,
            pausedMs: tenths(showing.pausedSeconds),
            pauses: showing.pauses.map { Pause(atMs: tenths($0.start.seconds - first), ms: tenths($0.seconds)) })
    }
}
