import Foundation
import Synchronization

/// A child process that shares nothing with this one but what it was given.
///
/// Foundation's `Process` takes its pipes without close-on-exec, so that a child that another test starts in the same
/// moment may hold them: then nobody sees their end, nor the process's, before that child has ended too.
struct SpawnedProcess: Sendable {
    let identifier: pid_t
    /// What it writes; the reader closes them.
    let output: Int32
    let errors: Int32

    /// No other start falls between the making of a pipe and its mark.
    private static let starting = Mutex(())

    /// - Parameter environment: all of it.
    static func start(_ path: String, _ arguments: [String], environment: [String: String]) throws -> SpawnedProcess {
        try starting.withLock { _ in try spawn(path, arguments, environment) }
    }

    private static func spawn(_ path: String, _ arguments: [String], _ environment: [String: String]) throws
        -> SpawnedProcess
    {
        let output = try pipe()
        let errors = try pipe()
        defer { for end in [output.writing, errors.writing] { close(end) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors.writing, STDERR_FILENO)
        for descriptor in try openDescriptors() { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // Tests that nohup(1) or a shell in the background runs ignore these; a child would, too, and never end by one.
        var ignored = none
        for signal in [SIGHUP, SIGINT, SIGQUIT] { sigaddset(&ignored, signal) }
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var identifier: pid_t = 0
        let code = withStrings([path] + arguments) { words in
            withStrings(environment.map { "\($0)=\($1)" }) { variables in
                posix_spawn(&identifier, path, &actions, &attributes, words, variables)
            }
        }
        guard code == 0 else {
            for end in [output.reading, errors.reading] { close(end) }
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT)
        }
        return SpawnedProcess(identifier: identifier, output: output.reading, errors: errors.reading)
    }

    /// Waits until it has ended. Returns its exit code; 128 and the signal's number where one ended it, as shells say it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func openDescriptors() throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .filter { $0 > STDERR_FILENO }
    }

    private static func withStrings<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
