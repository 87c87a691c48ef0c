import Glibc

/// This program once more, in a process of its own whose memory is measured. It takes commands on its standard input and
/// answers each with a line: "ok", numbers, or "error" and the reason.
final class ChildProcess {
    private let process: pid_t
    private let commands: Int32
    private let answers: UnsafeMutablePointer<FILE>

    /// Starts it. Its first line is to be waited for with `answer`.
    ///
    /// - Parameter arguments: after `--child`.
    init(_ arguments: [String]) throws {
        // One that has ended is reported by what can't be written to it.
        signal(SIGPIPE, SIG_IGN)
        let (input, output) = (try ChildProcess.pipe(), try ChildProcess.pipe())
        guard let answers = fdopen(output[0], "r") else { throw BenchError("no memory for a file") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
        var words = (["bench", "--child"] + arguments).map { strdup($0) } + [nil]
        var process = pid_t()
        let code = posix_spawn(&process, "/proc/self/exe", &actions, nil, &words, environ)
        for word in words { free(word) }
        posix_spawn_file_actions_destroy(&actions)
        close(input[0])
        close(output[1])
        (self.process, self.commands, self.answers) = (process, input[1], answers)
        guard code == 0 else {
            throw BenchError("a process of its own can't be started: \(String(cString: strerror(code)))")
        }
    }

    /// The end to read from and the one to write to; no other process gets them.
    private static func pipe() throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else {
            throw BenchError("no pipe to a process of its own; raise the limit of open files (ulimit -n)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    /// Ends it, by the end of its input, and waits until it has.
    deinit {
        close(commands)
        waitpid(process, nil, 0)
        fclose(answers)
    }

    /// The words of the answer. Throws what the other process reports.
    @discardableResult
    func ask(_ command: String) throws -> [Int] {
        let line = Array("\(command)\n".utf8)
        guard write(commands, line, line.count) == line.count else {
            throw BenchError("\(command): the process is gone")
        }
        return try answer(to: command)
    }

    /// Waits for a line.
    func answer(to command: String) throws -> [Int] {
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        guard getline(&line, &capacity, answers) > 0, let line else {
            throw BenchError("\(command): the process has ended")
        }
        let text = String(cString: line)
        guard !text.hasPrefix("error") else { throw BenchError("\(command): \(text.dropFirst(6).dropLast())") }
        return text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    }
}
