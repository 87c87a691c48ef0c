import ArgumentParser
import MediaCore

/// Where statistics go while a call lasts.
struct StatsOption: ParsableArguments {
    @Option(
        name: .customLong("stats"), parsing: .unconditional,
        help: ArgumentHelp(
            "Write W3C webrtc-stats and scores, a line of JSON each second and participant.",
            discussion: "See docs/quality.md.", valueName: "file"))
    var path: String?

    /// Throws `ExitStatus.Failure` where the file can't be made.
    func open(clock: MediaClock = .system) throws -> StatsLog? { try path.map { try StatsLog(path: $0, clock: clock) } }
}
