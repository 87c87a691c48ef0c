import Glibc

/// How the command ends.
enum ProcessExit {
    /// Writes out what the C library still holds and ends the process without its exit handlers: those of libcrypto
    /// take down what event loops, which may still run after a join that nobody answered, are using.
    static func leave(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }
}
