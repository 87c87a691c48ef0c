import Foundation
import LoadResults
import Synchronization

/// Shows seconds as they go by: one line that changes on a terminal, a line every five seconds elsewhere.
final class LoadProgress: Sendable {
    private let progress: Progress
    private let isPiped: Bool
    private let metrics: ResultFile?

    private static let interval = 5

    init(isQuiet: Bool, metrics: ResultFile?) {
        progress = Progress(isQuiet: isQuiet)
        isPiped = !isQuiet && isatty(STDERR_FILENO) == 0
        self.metrics = metrics
    }

    func show(_ sample: SecondSample, planned: Int) {
        if let line = try? MetricsLines.second(sample) { metrics?.write(line) }
        let line = LoadText.line(sample, planned: planned)
        // Between two cycles there is nothing to be seen.
        let counts = sample.participants
        guard counts.joined + counts.joining + counts.failures + counts.losses > 0 else { return }
        if isPiped, (sample.second + 1) % Self.interval == 0 || !sample.saturated.isEmpty { StandardError.line(line) }
        progress.show(line)
    }

    func end() { progress.end() }
}

/// A file that a run leaves, made before anything begins. Throws `ExitStatus.Failure` that names it.
final class ResultFile: Sendable {
    private let option: String
    private let path: String
    private let file: Mutex<FileHandle?>
    private let failure = Mutex<String?>(nil)

    /// For its owner alone.
    init(_ option: String, path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let why = String(cString: strerror(errno))
            throw ExitStatus.Failure(
                status: .environment, message: "\(option) \(path) can't be written (\(why)); choose another file")
        }
        self.option = option
        self.path = path
        file = Mutex(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    func write(_ data: Data) {
        file.withLock { file in
            do { try file?.write(contentsOf: data) } catch {
                failure.withLock { $0 = $0 ?? FileFault.words(error) }
                file = nil
            }
        }
    }

    /// Throws what could not be written.
    func close() throws {
        file.withLock { $0 = nil }
        guard let why = failure.withLock({ $0 }) else { return }
        throw ExitStatus.Failure(
            status: .environment, message: "\(option) \(path) can't be written (\(why)); its end is missing")
    }
}
