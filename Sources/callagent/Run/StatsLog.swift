import Foundation
import MediaCore
import Synchronization

/// The file of `--stats`: a line of each participant, about once a second.
final class StatsLog: Sendable {
    private let file: ResultFile
    private let clock: MediaClock
    private let begun: MediaTime
    /// Milliseconds from 1970 to the beginning.
    private let origin: Double
    private let last = Mutex<MediaTime?>(nil)

    /// A second, less what a round of the caller's loop may take.
    private static let interval = 0.9

    /// Throws `ExitStatus.Failure` where the file can't be made.
    init(path: String, clock: MediaClock = .system) throws {
        file = try ResultFile("--stats", path: path)
        self.clock = clock
        begun = clock.now
        origin = (Date().timeIntervalSince1970 * 1000).rounded()
    }

    /// Writes a line of each, where it is time to.
    func sample(_ participants: [AgentParticipant]) async {
        let now = clock.now
        let isDue = last.withLock { last in
            if let last, now.seconds - last.seconds < Self.interval { return false }
            last = now
            return true
        }
        guard isDue else { return }
        let seconds = now.seconds - begun.seconds
        for participant in participants {
            let line = await participant.statsLine(
                seconds: (seconds * 1000).rounded() / 1000, timestamp: origin + (seconds * 1000).rounded())
            file.write(Data((JSONOutput.text(line) + "\n").utf8))
        }
    }

    /// Throws what could not be written.
    func close() throws { try file.close() }
}
