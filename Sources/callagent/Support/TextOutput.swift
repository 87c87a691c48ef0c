import Glibc
import Synchronization

/// A standard stream: unbuffered, so that whoever waits for a line has it, and whole. What can't be written is remembered
/// and ends nothing by itself.
final class TextOutput: Sendable {
    private let descriptor: Int32
    private let firstFailure = Mutex<Int32?>(nil)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The system's number of what went wrong first.
    var failure: Int32? { firstFailure.withLock { $0 } }

    /// Writes all of it; false where that can't be done.
    @discardableResult func write(_ text: String) -> Bool {
        firstFailure.withLock { failure in
            guard failure == nil else { return false }
            failure = Array(text.utf8).withUnsafeBytes(writeAll)
            if failure == EPIPE, descriptor == STDOUT_FILENO { Interruption.note(.outputClosed) }
            return failure == nil
        }
    }

    /// The number of what keeps it from being written.
    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        var done = 0
        while done < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
            if count > 0 {
                done += count
            } else if errno == EAGAIN {
                // Somebody else's flag on a stream that we share.
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&room, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
