import CallModel
import Glibc

/// Results.
enum StandardOutput {
    static let stream = TextOutput(STDOUT_FILENO)

    /// Writes one line.
    static func line(_ text: String) { stream.write(text + "\n") }

    /// Writes a report of one line or several. Where nobody can read it there, it goes to standard error, so that it is not
    /// lost.
    static func report(_ text: String) {
        if !stream.write(text + "\n") { StandardError.write(text + "\n") }
    }
}

/// Messages for people.
enum StandardError {
    private static let stream = TextOutput(STDERR_FILENO)

    /// Writes it as it is.
    static func write(_ text: String) { stream.write(text) }

    /// Writes one line: what would steer a terminal is escaped, secrets that we were given are cut out.
    static func line(_ text: String) { write(Secrets.cut(from: text).printable + "\n") }
}

/// Standard streams that the process was started without: the next file that is opened must not take their place.
enum StandardStreams {
    static func claim() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            let opened = open("/dev/null", O_RDWR)
            if opened >= 0, opened != descriptor {
                dup2(opened, descriptor)
                close(opened)
            }
        }
    }
}
