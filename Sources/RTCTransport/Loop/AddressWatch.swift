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
        let type = CInt(SOCK_RAW.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        // Of NETLINK_ROUTE, which is 0.
        descriptor = socket(AF_NETLINK, type, 0)
        self.changed = changed
        guard descriptor >= 0, AddressWatch.subscribe(descriptor) else {
            throw IOError(errnoCode: errno, reason: "netlink")
        }
        _ = try loop.add(descriptor, self)
    }

    /// Binds to RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR.
    private static func subscribe(_ descriptor: CInt) -> Bool {
        // As struct sockaddr_nl: family and padding, port, groups.
        var name = (UInt16(AF_NETLINK), UInt16(0), UInt32(0), UInt32(0x1 | 0x10 | 0x100))
        return withUnsafeBytes(of: &name) { bytes in
            guard let start = bytes.baseAddress else { return false }
            return bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), UInt32(bytes.count)) == 0
        }
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
