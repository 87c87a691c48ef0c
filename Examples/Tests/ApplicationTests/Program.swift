import Foundation

/// A program that answers each line that it reads with one line.
///
/// Nothing of Foundation's `Process` or of a file handle's readability handler: their pipes are open in every other child,
/// and a pipe's hang-up can end the process in libdispatch.
final class Program: Sendable {
    private let identifier: pid_t
    private let input: Int32
    private let output: Int32

    /// The program beside the one that runs now.
    static func url(_ name: String) -> URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name)
    }

    init(_ name: String, _ arguments: [String]) throws {
        let (theirInput, input) = try Self.pipe()
        let (output, theirOutput) = try Self.pipe()
        defer { for end in [theirInput, theirOutput] { close(end) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, theirInput, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, theirOutput, STDOUT_FILENO)
        var words = ([name] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var identifier = pid_t()
        let code = posix_spawn(&identifier, Self.url(name).path, &actions, nil, &words, environ)
        (self.identifier, self.input, self.output) = (identifier, input, output)
        guard code == 0 else { throw Self.failure(code) }
    }

    deinit { close(output) }

    /// What the program answers to `line`. Throws where it has ended.
    func ask(_ line: String) async throws -> String {
        let bytes = Array((line + "\n").utf8)
        guard write(input, bytes, bytes.count) == bytes.count else { throw Self.failure(errno) }
        return try await Self.aside { [output] in
            var answer: [UInt8] = []
            var byte: UInt8 = 0
            while read(output, &byte, 1) == 1 {
                if byte == UInt8(ascii: "\n") { return String(decoding: answer, as: UTF8.self) }
                answer.append(byte)
            }
            throw CocoaError(.fileReadUnknown)
        }
    }

    /// The exit status, when nothing more is to be read.
    func finish() async throws -> Int32 {
        close(input)
        return try await Self.aside { [identifier] in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            return status & 0x7f == 0 ? (status >> 8) & 0xff : -1
        }
    }

    /// What waits, waits on a thread of its own.
    private static func aside<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }

    /// No other child has them: this suite starts one after the other.
    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw failure(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func failure(_ code: Int32) -> POSIXError { POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
}
