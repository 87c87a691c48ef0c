import Foundation
import Synchronization

/// A browser of our own, spoken to by the Chrome DevTools Protocol over two pipes (`--remote-debugging-pipe`): commands go to
/// its descriptor 3, answers come from 4, each a JSON object and a zero byte. No port is opened.
final class BrowserPipe: Sendable {
    /// Bytes of an answer.
    private static let longest = 64 * 1_024 * 1_024
    /// Seconds for an answer.
    private static let patience = 20

    private struct State {
        var number = 0
        var waiters: [Int: CheckedContinuation<[UInt8], any Error>] = [:]
        var isClosed = false
    }

    private struct Head: Decodable {
        struct Failure: Decodable { var message: String }

        var id: Int?
        var error: Failure?
    }

    private let process: pid_t
    private let commands: Int32
    private let state = Mutex(State())

    /// Starts a browser. Throws `FrameSourceError` where its binary can't be run.
    init(binary: String, arguments: [String]) throws(FrameSourceError) {
        // A socket towards the browser: writing to a pipe whose reader is gone would end this process by a signal.
        let toBrowser = try Self.pair { socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, $0) }
        let fromBrowser = try Self.pair { Glibc.pipe($0) }
        defer {
            close(toBrowser.reads)
            close(fromBrowser.writes)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toBrowser.reads, 3)
        posix_spawn_file_actions_adddup2(&actions, fromBrowser.writes, 4)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let words: [UnsafeMutablePointer<CChar>?] = ([binary] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, binary, &actions, nil, words, environ)
        guard status == 0 else {
            close(toBrowser.writes)
            close(fromBrowser.reads)
            throw FrameSourceError("the browser \(binary) can't be run: \(String(cString: strerror(status)))")
        }
        self.process = process
        commands = toBrowser.writes
        let answers = fromBrowser.reads
        Thread.detachNewThread { [weak self] in
            Self.read(answers) { bytes in self?.take(bytes) }
            close(answers)
            self?.shut()
        }
    }

    /// Descriptors above those that the browser is given, closed in whatever else is started.
    private static func pair(
        _ make: (UnsafeMutablePointer<Int32>) -> Int32
    ) throws(FrameSourceError) -> (reads: Int32, writes: Int32) {
        var both: [Int32] = [0, 0]
        guard make(&both) == 0 else {
            throw FrameSourceError("there is no pipe to be had: \(String(cString: strerror(errno)))")
        }
        defer { for one in both { close(one) } }
        let (reads, writes) = (fcntl(both[0], F_DUPFD_CLOEXEC, 10), fcntl(both[1], F_DUPFD_CLOEXEC, 10))
        guard reads >= 0, writes >= 0 else { throw FrameSourceError("too many files are open") }
        return (reads, writes)
    }

    private static func read(_ descriptor: Int32, _ take: ([UInt8]) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 64 * 1_024)
        var message: [UInt8] = []
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0, message.count <= longest else { return }
            var rest = buffer[0..<count]
            while let end = rest.firstIndex(of: 0) {
                take(message + rest[..<end])
                message = []
                rest = rest[(end + 1)...]
            }
            message += rest
        }
    }

    private func take(_ bytes: [UInt8]) {
        guard let head = try? JSONDecoder().decode(Head.self, from: Data(bytes)), let id = head.id else { return }
        guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: id) }) else { return }
        if let error = head.error {
            waiter.resume(throwing: FrameSourceError("the browser refuses: \(error.message)"))
        } else {
            waiter.resume(returning: bytes)
        }
    }

    /// Sends a command, and returns the `result` of its answer. Throws `FrameSourceError` where the browser refuses, is gone, or
    /// does not answer in time.
    func call<Result: Decodable>(
        _ method: String, _ parameters: some Encodable & Sendable, session: String? = nil, as type: Result.Type
    ) async throws -> Result {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let command = Command(id: number, method: method, params: parameters, sessionId: session)
        let bytes = Array(try JSONEncoder().encode(command)) + [0]
        let timer = Task { [weak self] in
            try await Task.sleep(for: .seconds(Self.patience))
            self?.state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(
                throwing: FrameSourceError("the browser has not answered \(method) in \(Self.patience) s"))
        }
        defer { timer.cancel() }
        let answer = try await withCheckedThrowingContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isClosed { state.waiters[number] = continuation }
                return !state.isClosed
            }
            guard isOpen else { return continuation.resume(throwing: Self.gone) }
            write(bytes)
        }
        return try JSONDecoder().decode(Answer<Result>.self, from: Data(answer)).result
    }

    private struct Command<Parameters: Encodable>: Encodable {
        var id: Int
        var method: String
        var params: Parameters
        var sessionId: String?
    }

    private struct Answer<Result: Decodable>: Decodable { var result: Result }

    private static let gone = FrameSourceError("the browser is gone; look whether it runs by itself as this user")

    private func write(_ bytes: [UInt8]) {
        var at = 0
        while at < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(commands, $0.baseAddress! + at, bytes.count - at, CInt(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            // The reader sees that the browser is gone.
            guard count > 0 else { return }
            at += count
        }
    }

    private func shut() {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(throwing: Self.gone) }
    }

    deinit {
        close(commands)
        kill(process, SIGTERM)
        let process = process
        // A thread's time is cheaper than a process that nobody has waited for.
        Thread.detachNewThread {
            var status: Int32 = 0
            waitpid(process, &status, 0)
        }
    }
}
