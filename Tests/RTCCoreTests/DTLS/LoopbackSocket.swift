import Foundation
import RTCWire

/// A UDP socket on 127.0.0.1.
final class LoopbackSocket {
    struct Failure: Error { var number = errno }

    let descriptor: Int32
    let port: UInt16
    private var peer = sockaddr_in()

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        self.descriptor = descriptor
        var address = Self.address(0)
        let bound = Self.with(&address) { Int(bind(descriptor, $0, $1)) }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let named = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard bound == 0, named == 0 else { throw Failure() }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    /// A port that nobody has just now.
    static func freePort() throws -> UInt16 { try LoopbackSocket().port }

    func connect(to port: UInt16) { peer = Self.address(port) }

    func send(_ datagram: [UInt8]) {
        var peer = peer
        _ = Self.with(&peer) { sendto(descriptor, datagram, datagram.count, 0, $0, $1) }
    }

    /// The next datagram, or nil after so many milliseconds without. Its sender becomes the peer.
    func receive(milliseconds: Int32) -> [UInt8]? {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, milliseconds) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
            }
        }
        return count >= 0 ? Array(buffer[..<count]) : nil
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func with(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int
    ) -> Int {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// Drives an endpoint over a socket, by the machine's clock.
struct LoopbackPump {
    let socket: LoopbackSocket
    let endpoint: DTLSTestEndpoint
    private let start = ContinuousClock.now

    init(socket: LoopbackSocket, endpoint: DTLSTestEndpoint) {
        self.socket = socket
        self.endpoint = endpoint
        endpoint.start(now)
    }

    var now: Instant {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Instant(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// Until `isDone`, for a minute at most; whether it came to that.
    func run(until isDone: () -> Bool) throws -> Bool {
        let end = now + .seconds(60)
        while !isDone(), now < end {
            for datagram in endpoint.takeSent() { socket.send(datagram) }
            if let datagram = socket.receive(milliseconds: 20) { endpoint.receive(datagram, now) }
            endpoint.advance(now)
        }
        for datagram in endpoint.takeSent() { socket.send(datagram) }
        return isDone()
    }
}
