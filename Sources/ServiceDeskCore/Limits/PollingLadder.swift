/// How often the service is asked for news: the longer nothing has happened, the more rarely.
public enum PollingLadder {
    private static let rungs: [(quiet: Int64, interval: Int64)] = [
        (60_000, 5_000), (300_000, 15_000), (3_600_000, 60_000), (3 * 86_400_000, 180_000),
    ]

    /// Milliseconds between two questions; nil where nobody asks any more.
    ///
    /// - Parameter quiet: milliseconds since the last activity: 5 s up to a minute, 15 s up to five minutes, 60 s up to an
    ///   hour, 180 s up to three days.
    public static func interval(quiet: Int64) -> Int64? { rungs.first { quiet <= $0.quiet }?.interval }
}
