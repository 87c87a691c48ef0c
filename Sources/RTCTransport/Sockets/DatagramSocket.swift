import Glibc
import NIOCore
import RTCWire

/// A UDP socket: datagrams go from the outbox to the kernel by way of a `SendVector`, and come by way of the loop's
/// `DatagramReceiver`.
///
/// A failed send concerns one datagram to one destination and must not end the port for everybody else.
// Made on any thread and handed to its loop, on which all else happens.
final class DatagramSocket: DatagramSending, @unchecked Sendable {
    /// -1 once it is closed.
    private(set) var descriptor: CInt
    /// What it is bound to.
    private(set) var address: TransportAddress
    let isIPv4: Bool
    private let control = UnsafeMutableRawBufferPointer.allocate(
        byteCount: ControlMessages.capacity, alignment: 8)

    private static let memoryInfo: CInt = 55

    /// Binds a UDP port; `::` takes IPv4 too. Throws `IOError` with the system's error number.
    static func bind(host: String, port: Int, bufferSize: Int) throws -> DatagramSocket {
        let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        let type = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let isIPv4 = address.protocol == .inet
        let descriptor = socket(isIPv4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        let result = DatagramSocket(descriptor: descriptor, address: TransportAddress(address), isIPv4: isIPv4)
        result.setOptions(bufferSize: bufferSize)
        let status = address.withSockAddr { Glibc.bind(descriptor, $0, socklen_t($1)) }
        guard status == 0 else { throw IOError(errnoCode: errno, reason: "bind") }
        result.address = result.boundAddress
        return result
    }

    private init(descriptor: CInt, address: TransportAddress?, isIPv4: Bool) {
        self.descriptor = descriptor
        self.address = address ?? TransportAddress(ipv4: 0, port: 0)
        self.isIPv4 = isIPv4
    }

    deinit {
        close()
        control.deallocate()
    }

    /// Lets go of the port. On the loop, which must no longer watch it.
    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    var isClosed: Bool { descriptor < 0 }

    // MARK: Options

    private func setOptions(bufferSize: Int) {
        for option in [SO_RCVBUF, SO_SNDBUF] { set(SOL_SOCKET, option, CInt(clamping: bufferSize)) }
        set(SOL_SOCKET, ControlMessages.timestampNanoseconds, 1)
        // Kernels before 5.0 refuse it, and hand out what comes one by one.
        set(CInt(IPPROTO_UDP), ControlMessages.udpGRO, 1)
        if !isIPv4 { set(CInt(IPPROTO_IPV6), IPV6_V6ONLY, address.isUnspecified ? 0 : 1) }
        guard address.isUnspecified else { return }
        if isIPv4 { set(CInt(IPPROTO_IP), IP_PKTINFO, 1) } else { set(CInt(IPPROTO_IPV6), IPV6_RECVPKTINFO, 1) }
    }

    private func set(_ level: CInt, _ option: CInt, _ value: CInt) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    private var boundAddress: TransportAddress {
        var name = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
        }
        return TransportAddress(name)
    }

    /// Datagrams that the kernel dropped because the receive buffer was full; nil where it does not say.
    ///
    /// SO_MEMINFO (linux/sock_diag.h): nine 32-bit numbers, of which the last counts them. SO_RXQ_OVFL says the same with
    /// each datagram, and nothing where none follows.
    var receiveBufferDrops: Int? {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 9) { values in
            var length = socklen_t(9 * MemoryLayout<UInt32>.size)
            let status = getsockopt(descriptor, SOL_SOCKET, Self.memoryInfo, values.baseAddress, &length)
            return status == 0 && length == 36 ? Int(values[8]) : nil
        }
    }

    // MARK: Sending

    func send(
        _ parts: UnsafeMutableBufferPointer<iovec>, to destination: RawSocketAddress, from source: TransportAddress?,
        segmentSize: Int?
    ) -> SendOutcome {
        guard !isClosed else { return .failed }
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

    func send(_ messages: SendVector, from first: Int) -> (sent: Int, outcome: SendOutcome) {
        guard !isClosed else { return (0, .failed) }
        var sent = messages.send(from: first, on: descriptor)
        if sent < 0, SendOutcome.isTransient(errno: errno) { sent = messages.send(from: first, on: descriptor) }
        guard sent <= 0 else { return (sent, .sent) }
        return (0, SendOutcome(errno: errno, isSegmented: messages[first].way.segmentSize != nil))
    }
}
