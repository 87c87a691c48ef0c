import Glibc
import Synchronization

/// A file of lines, unbuffered: what was written is there when the process dies. After a failure it writes nothing more, and
/// keeps the whole lines.
final class JournalOutput: Sendable {
    private struct State {
        /// Bytes of whole lines.
        var size = 0
        var failure: JournalOutputError?
    }

    private let path: String
    private let descriptor: Int32
    private let state = Mutex(State())
    private let onFailure: @Sendable (JournalOutputError) -> Void

    init(
        path: String, onFailure: @escaping @Sendable (JournalOutputError) -> Void
    ) throws(JournalOutputError) {
        self.path = path
        self.onFailure = onFailure
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw JournalOutputError(path: path, problem: Self.message(errno)) }
    }

    deinit { close(descriptor) }

    /// What went wrong first.
    var failure: JournalOutputError? { state.withLock { $0.failure } }

    func write(_ event: JournalEvent) {
        let line = Array((JournalFile.line(event) + "\n").utf8)
        let failure = state.withLock { append(line, &$0) }
        if let failure { onFailure(failure) }
    }

    /// Appends a line; what goes wrong now. A disk that fills up must not end a call.
    private func append(_ line: [UInt8], _ state: inout State) -> JournalOutputError? {
        guard state.failure == nil else { return nil }
        do throws(JournalOutputError) {
            try append(line)
            state.size += line.count
        } catch {
            state.failure = error
            ftruncate(descriptor, state.size)
        }
        return state.failure
    }

    private func append(_ line: [UInt8]) throws(JournalOutputError) {
        var done = 0
        while done < line.count {
            let count = line[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw JournalOutputError(path: path, problem: "writing failed: \(Self.message(errno))")
            }
            done += count
        }
    }

    private static func message(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// A journal's file can't be written.
public struct JournalOutputError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file.
    public var path: String
    /// What is wrong with it.
    public var problem: String

    /// Names the file, what is wrong, and the remedy.
    public var description: String {
        "the journal \(path) can't be written: \(problem); name a file in a folder that is there, writable, and has room"
    }
}
