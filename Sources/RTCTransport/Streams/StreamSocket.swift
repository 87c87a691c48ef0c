import CSocket
import Glibc
import NIOCore
import RTCWire

/// A TCP socket that never blocks: one that listens, or a connection.
// Made and used on one loop.
final class StreamSocket {
    /// What an attempt to read or write came to.
    enum Outcome: Equatable {
        case moved(Int)
        /// Nothing to read, or no room to write; epoll tells when there is.
        case blocked
        /// The other side has ended its half, or the connection is broken.
        case ended
    }

    /// -1 once it is closed.
    private(set) var descriptor: CInt
    /// What it is bound to; of a connection our side.
    private(set) var address = TransportAddress(ipv4: 0, port: 0)

    /// Names of netinet/tcp.h that not every C library's module has.
    private static let noDelay: CInt = 1
    private static let userTimeout: CInt = 18
    private static let notSentLowWater: CInt = 25
    /// What waits in the kernel unsent; the rest waits here, where its urgency is known.
    private static let unsentLimit: CInt = 16 * 1024
    /// Data that nobody acknowledges for so long ends the connection, in ms. As long as ICE's consent.
    private static let acknowledgementLimit: CInt = 30_000
    private static let backlog: CInt = 256

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit { close() }

    /// Once nobody watches it any more.
    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    var isClosed: Bool { descriptor < 0 }

    // MARK: Listening

    /// Listens on a port; `::` takes IPv4 too. Throws `IOError` with the system's error number.
    static func listen(host: String, port: Int) throws -> StreamSocket {
        let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
        let isIPv4 = address.protocol == .inet
        let result = try make(isIPv4: isIPv4)
        result.set(SOL_SOCKET, SO_REUSEADDR, 1)
        let isUnspecified = TransportAddress(address)?.isUnspecified ?? false
        if !isIPv4 { result.set(CInt(IPPROTO_IPV6), IPV6_V6ONLY, isUnspecified ? 0 : 1) }
        let status = address.withSockAddr { Glibc.bind(result.descriptor, $0, socklen_t($1)) }
        guard status == 0 else { throw IOError(errnoCode: errno, reason: "bind") }
        guard Glibc.listen(result.descriptor, backlog) == 0 else { throw IOError(errnoCode: errno, reason: "listen") }
        result.address = result.localName
        return result
    }

    /// Why no connection was taken.
    enum Refusal: Error {
        case noneWaits
        /// The process or the machine has no descriptors or no memory left.
        case exhausted
    }

    /// Takes the next connection that waits, and where it comes from.
    func accept() throws(Refusal) -> (StreamSocket, TransportAddress) {
        while true {
            var name = sockaddr_in6()
            var length = UInt32(MemoryLayout<sockaddr_in6>.size)
            let taken = csocket_accept(descriptor, &name, &length)
            if taken >= 0 {
                let connection = StreamSocket(taken)
                connection.prepare()
                connection.address = connection.localName
                return (connection, TransportAddress(name).over(.tcp))
            }
            switch errno {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: throw .exhausted
            // It was gone before it was taken; the next one may not be.
            case EINTR, ECONNABORTED, EPROTO: continue
            default: throw .noneWaits
            }
        }
    }

    // MARK: Connecting

    /// Begins to connect; epoll tells that there is room to write when it is done. Throws `IOError`.
    static func connect(to address: TransportAddress) throws -> StreamSocket {
        let result = try make(isIPv4: address.isIPv4)
        result.prepare()
        let status = address.socketAddress.withSockAddr { Glibc.connect(result.descriptor, $0, socklen_t($1)) }
        guard status == 0 || errno == EINPROGRESS else { throw IOError(errnoCode: errno, reason: "connect") }
        return result
    }

    /// Whether the attempt to connect has succeeded, once it is over.
    var hasConnected: Bool {
        var code: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 && code == 0
    }

    // MARK: Data

    func read(into memory: UnsafeMutableRawBufferPointer) -> Outcome {
        let count = recv(descriptor, memory.baseAddress, memory.count, CInt(MSG_DONTWAIT))
        if count > 0 { return .moved(count) }
        return count < 0 && StreamSocket.isPassing(errno) ? .blocked : .ended
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        let count = send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
        if count >= 0 { return .moved(count) }
        return StreamSocket.isPassing(errno) ? .blocked : .ended
    }

    private static func isPassing(_ code: CInt) -> Bool { code == EAGAIN || code == EWOULDBLOCK || code == EINTR }

    // MARK: Options

    private static func make(isIPv4: Bool) throws -> StreamSocket {
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(isIPv4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        return StreamSocket(descriptor)
    }

    private func prepare() {
        set(CInt(IPPROTO_TCP), StreamSocket.noDelay, 1)
        set(CInt(IPPROTO_TCP), StreamSocket.notSentLowWater, StreamSocket.unsentLimit)
        set(CInt(IPPROTO_TCP), StreamSocket.userTimeout, StreamSocket.acknowledgementLimit)
    }

    private func set(_ level: CInt, _ option: CInt, _ value: CInt) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    /// What the system says that it is bound to.
    var localName: TransportAddress {
        var name = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
        }
        return TransportAddress(name).over(.tcp)
    }
}
