import CSocket
import Glibc
import NIOCore

/// Tells when interfaces and addresses of this machine come and go, as the kernel says it (rtnetlink(7)).
///
/// What it says is not read: one event takes several messages, and where many come some are lost. Who is told looks at
/// `InterfaceAddresses.current()`.
// Touched on its loop only, which holds it until the loop ends.
package final class AddressWatch {
    private let descriptor: CInt
    private let changed: () -> Void

    /// Has `changed` called on the loop, from now on. On the loop. Throws `IOError` where the system doesn't allow it.
    @discardableResult
    package init(on loop: DatagramLoop, changed: @escaping () -> Void) throws(IOError) {
        descriptor = csocket_watch_addresses()
        self.changed = changed
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "netlink") }
        _ = try loop.add(descriptor, self)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

extension AddressWatch: DatagramSource {
    func socketIsReadable() {
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
            while true {
                let length = recv(descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
                // Some were lost: that is a change, too, and more may follow.
                guard length > 0 || (length < 0 && (errno == ENOBUFS || errno == EINTR)) else { return }
            }
        }
        changed()
    }

    func socketIsWritable() {}
}
