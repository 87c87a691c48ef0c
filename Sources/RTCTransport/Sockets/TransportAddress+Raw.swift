import Glibc
import RTCWire

extension TransportAddress {
    /// The value of a socket address whose family says which one it is; `sockaddr_in` begins like `sockaddr_in6`.
    init(_ raw: sockaddr_in6) {
        self = withUnsafeBytes(of: raw) { bytes in
            let port = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
            if CInt(raw.sin6_family) == AF_INET {
                let address = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
                return TransportAddress(ipv4: address, port: port)
            }
            return TransportAddress(
                high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)), port: port)
        }
    }
}
