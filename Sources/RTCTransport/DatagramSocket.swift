import Glibc
import NIOCore

/// The sending half of a UDP socket, without a buffer of its own: a datagram goes from the outbox to the kernel by one
/// `sendmsg`. NIO reads from the same descriptor and owns it.
///
/// A failed send concerns one datagram to one destination and must not end the port for everybody else; NIO's own
/// datagram channel closes at most errors, which is why it does not do the sending.
struct DatagramSocket {
    let descriptor: CInt
    let isIPv4: Bool

    /// How a send ended.
    enum Outcome {
        case sent
        /// The socket's send buffer is full.
        case full
        /// This destination can't be reached from here; others may.
        case failed
    }

    /// Binds a UDP port. Throws `IOError` with the system's error number.
    init(host: String, port: Int, bufferSize: Int) throws {
        let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        let type = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let family = address.protocol == .inet ? AF_INET : AF_INET6
        descriptor = socket(family, type, 0)
        isIPv4 = family == AF_INET
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        var size = CInt(clamping: bufferSize)
        for option in [SO_RCVBUF, SO_SNDBUF] {
            setsockopt(descriptor, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        let status = address.withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            throw IOError(errnoCode: code, reason: "bind")
        }
    }

    /// Sends `parts` as one message; with a `segmentSize` the kernel cuts it into datagrams of that size (UDP_SEGMENT,
    /// udp(7)).
    func send(
        _ parts: UnsafeMutableBufferPointer<iovec>, to destination: RawSocketAddress, segmentSize: Int?
    ) -> Outcome {
        var storage = destination.storage
        var control = SegmentControl(segmentSize: UInt16(clamping: segmentSize ?? 0))
        let length = socklen_t(isIPv4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
        let sent = withUnsafeMutablePointer(to: &storage) { name in
            withUnsafeMutablePointer(to: &control) { control in
                var message = msghdr()
                message.msg_name = UnsafeMutableRawPointer(name)
                message.msg_namelen = length
                message.msg_iov = parts.baseAddress
                message.msg_iovlen = parts.count
                if segmentSize != nil {
                    message.msg_control = UnsafeMutableRawPointer(control)
                    message.msg_controllen = MemoryLayout<SegmentControl>.size
                }
                return sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL))
            }
        }
        guard sent < 0 else { return .sent }
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? .full : .failed
    }
}

/// A control message that asks for segmentation: `cmsghdr`, a 16-bit size, and padding to the next word.
private struct SegmentControl {
    private var length: UInt = 18
    private var level: CInt = CInt(IPPROTO_UDP)
    private var type: CInt = 103
    private var segmentSize: UInt16
    private var padding: (UInt16, UInt32) = (0, 0)

    init(segmentSize: UInt16) { self.segmentSize = segmentSize }
}
