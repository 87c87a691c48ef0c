import Glibc
import RTCWire

/// A UDP socket on 127.0.0.1 that never blocks, for the sides of a benchmark that aren't measured.
final class PlainSocket {
    let address: TransportAddress
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var size: Int32 = 4 << 20
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, 4)
        var local = PlainSocket.raw(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &local) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw BenchError("no UDP socket on 127.0.0.1; raise the limit of open files (ulimit -n)") }
        address = TransportAddress(ipv4: 0x7f00_0001, port: UInt16(bigEndian: local.sin_port))
    }

    deinit { close(descriptor) }

    private static func raw(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    func send(_ bytes: UnsafeRawBufferPointer, port: UInt16) {
        var address = PlainSocket.raw(port: port)
        let descriptor = descriptor
        withUnsafePointer(to: &address) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes.baseAddress, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Reads one datagram; nil where none is there.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> (length: Int, port: UInt16)? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let count = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, buffer.baseAddress, buffer.count, 0, $0, &length)
            }
        }
        return count < 0 ? nil : (count, UInt16(bigEndian: address.sin_port))
    }
}
