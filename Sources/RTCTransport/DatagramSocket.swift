import Glibc
import NIOCore
import RTCWire

/// What sends datagrams without a buffer of its own.
protocol DatagramSending: AnyObject {
    var isIPv4: Bool { get }

    /// Sends `parts` as one message; with a `segmentSize` the kernel cuts it into datagrams of that size (UDP_SEGMENT,
    /// udp(7)).
    ///
    /// - Parameter source: the address to send from; nil leaves it to the kernel.
    func send(
        _ parts: UnsafeMutableBufferPointer<iovec>, to destination: RawSocketAddress, from source: TransportAddress?,
        segmentSize: Int?
    ) -> SendOutcome
}

/// A UDP socket: a datagram goes from the outbox to the kernel by one `sendmsg`. NIO waits on the same descriptor and
/// owns it.
///
/// A failed send concerns one datagram to one destination and must not end the port for everybody else; NIO's own
/// datagram channel closes at most errors, which is why it does not do the sending.
// Sends on its mux's event loop only; the other members are constants.
final class DatagramSocket: DatagramSending, @unchecked Sendable {
    let descriptor: CInt
    let isIPv4: Bool
    /// It stands for several of this machine's addresses.
    let isUnspecified: Bool
    private let control = UnsafeMutableRawBufferPointer.allocate(
        byteCount: ControlMessages.capacity, alignment: 8)

    /// Binds a UDP port; `::` takes IPv4 too. Throws `IOError` with the system's error number.
    init(host: String, port: Int, bufferSize: Int) throws {
        let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        let type = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let family = address.protocol == .inet ? AF_INET : AF_INET6
        descriptor = socket(family, type, 0)
        isIPv4 = family == AF_INET
        isUnspecified = TransportAddress(address)?.isUnspecified ?? false
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        for option in [SO_RCVBUF, SO_SNDBUF] { set(SOL_SOCKET, option, CInt(clamping: bufferSize)) }
        set(SOL_SOCKET, ControlMessages.timestampNanoseconds, 1)
        if !isIPv4 { set(CInt(IPPROTO_IPV6), IPV6_V6ONLY, isUnspecified ? 0 : 1) }
        if isUnspecified {
            if isIPv4 { set(CInt(IPPROTO_IP), IP_PKTINFO, 1) } else { set(CInt(IPPROTO_IPV6), IPV6_RECVPKTINFO, 1) }
        }
        let status = address.withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            throw IOError(errnoCode: code, reason: "bind")
        }
    }

    deinit { control.deallocate() }

    private func set(_ level: CInt, _ option: CInt, _ value: CInt) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    func send(
        _ parts: UnsafeMutableBufferPointer<iovec>, to destination: RawSocketAddress, from source: TransportAddress?,
        segmentSize: Int?
    ) -> SendOutcome {
        var writer = ControlMessages.Writer(control)
        if let segmentSize { writer.addSegmentSize(UInt16(clamping: segmentSize)) }
        if let source { writer.addSource(source, isIPv4: isIPv4) }
        var storage = destination.storage
        return withUnsafeMutablePointer(to: &storage) { name in
            var message = msghdr()
            message.msg_name = UnsafeMutableRawPointer(name)
            message.msg_namelen = RawSocketAddress.length(isIPv4: isIPv4)
            message.msg_iov = parts.baseAddress
            message.msg_iovlen = parts.count
            if writer.length > 0 {
                message.msg_control = control.baseAddress
                message.msg_controllen = writer.length
            }
            var sent = sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL))
            if sent < 0, SendOutcome.isTransient(errno: errno) {
                sent = sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL))
            }
            return sent < 0 ? SendOutcome(errno: errno, isSegmented: segmentSize != nil) : .sent
        }
    }
}
