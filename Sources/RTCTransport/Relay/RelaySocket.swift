import Glibc
import NIOCore
import RTCWire

/// A plain UDP socket on a loop, as relays and attackers have them. Touched on its loop only.
final class RelaySocket {
    /// Called with each datagram, which is valid during the call only.
    var received: ((UnsafeRawBufferPointer, TransportAddress) -> Void)?
    /// Called when all that waited has been read.
    var readCompleted: (() -> Void)?
    private let port: WatchedSocket

    /// Readings that follow each other before other work of the loop gets its turn.
    private static let maximumReadings = 16

    /// Binds a port; 0 is one of the system's choice. Throws `UDPBindError`.
    init(on loop: DatagramLoop, host: String, port number: Int = 0, bufferSize: Int) throws(UDPBindError) {
        do {
            let socket = try DatagramSocket.bind(host: host, port: number, bufferSize: bufferSize)
            port = WatchedSocket(socket, on: loop)
            try port.begin(self)
        } catch {
            throw UDPBindError(host: host, port: number, error)
        }
    }

    /// The address to bind in order to reach `remote`: only the loopback interface where that is enough.
    static func localHost(reaching remote: TransportAddress) -> String {
        if remote.isIPv4 { return remote.ipv4 >> 24 == 127 ? "127.0.0.1" : "0.0.0.0" }
        return remote.high == 0 && remote.low == 1 ? "::1" : "::"
    }

    var address: TransportAddress { port.socket.address }

    /// Datagrams that the kernel dropped because the receive buffer was full.
    var receiveBufferDrops: Int { port.socket.receiveBufferDrops ?? 0 }

    /// An address in the form that the socket takes.
    func destination(_ address: TransportAddress) -> RawSocketAddress {
        RawSocketAddress(address, forIPv4: port.socket.isIPv4)
    }

    /// Sends a datagram at once; false where the kernel does not take it.
    func send(_ bytes: [UInt8], to destination: RawSocketAddress) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var part = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
            return withUnsafeMutablePointer(to: &part) {
                let parts = UnsafeMutableBufferPointer(start: $0, count: 1)
                return port.socket.send(parts, to: destination, from: nil, segmentSize: nil) == .sent
            }
        }
    }

    func close() {
        port.close()
        received = nil
        readCompleted = nil
    }
}

extension RelaySocket: DatagramSource {
    func socketIsReadable() {
        for _ in 0..<RelaySocket.maximumReadings {
            let count = port.loop.receiver.read(port.socket.descriptor)
            port.loop.receiver.forEach(count) { bytes, source, _ in received?(UnsafeRawBufferPointer(bytes), source) }
            if count < port.loop.receiver.capacity { break }
        }
        readCompleted?()
    }

    func socketIsWritable() {}
}
