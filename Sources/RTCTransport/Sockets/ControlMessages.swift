import Glibc
import RTCWire

/// The control messages of one send or one received datagram, cmsg(3): each a length, a level and a type of 16 bytes
/// together, and its data, padded to 8 bytes. Written by hand, because the CMSG macros are not imported.
enum ControlMessages {
    /// Room for all that one datagram comes or goes with, in bytes.
    static let capacity = 128
    static let headerSize = 16
    static let udpSegment: CInt = 103
    static let udpGRO: CInt = 104
    static let ipPacketInfo: CInt = 8
    static let ipv6PacketInfo: CInt = 50
    static let timestampNanoseconds: CInt = 35

    /// Fills control memory for a send, and says how much of it is used.
    struct Writer {
        let memory: UnsafeMutableRawBufferPointer
        private(set) var length = 0

        init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

        /// UDP_SEGMENT: the kernel cuts the message into datagrams of that many bytes, udp(7).
        mutating func addSegmentSize(_ size: UInt16) {
            let data = add(level: CInt(IPPROTO_UDP), type: ControlMessages.udpSegment, size: 2)
            data.storeBytes(of: size, as: UInt16.self)
        }

        /// The address that the datagrams leave from: IP_PKTINFO, ip(7), or IPV6_PKTINFO, ipv6(7), which takes IPv4
        /// addresses in their mapped form.
        mutating func addSource(_ address: TransportAddress, isIPv4: Bool) {
            if isIPv4 {
                let data = add(level: CInt(IPPROTO_IP), type: ControlMessages.ipPacketInfo, size: 12)
                data.storeBytes(of: address.ipv4.bigEndian, toByteOffset: 4, as: UInt32.self)
            } else {
                let data = add(level: CInt(IPPROTO_IPV6), type: ControlMessages.ipv6PacketInfo, size: 20)
                data.storeBytes(of: address.high.bigEndian, as: UInt64.self)
                data.storeBytes(of: address.low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
        }

        private mutating func add(level: CInt, type: CInt, size: Int) -> UnsafeMutableRawPointer {
            let total = ControlMessages.headerSize + size
            let padded = (total + 7) & ~7
            let slot = UnsafeMutableRawBufferPointer(rebasing: memory[length..<(length + padded)])
            slot.initializeMemory(as: UInt8.self, repeating: 0)
            slot.storeBytes(of: UInt(total), as: UInt.self)
            slot.storeBytes(of: level, toByteOffset: 8, as: CInt.self)
            slot.storeBytes(of: type, toByteOffset: 12, as: CInt.self)
            length += padded
            return slot.baseAddress.unsafelyUnwrapped + ControlMessages.headerSize
        }
    }

    /// What the kernel says of a received datagram.
    struct Received {
        /// When it came, in nanoseconds of CLOCK_REALTIME (SO_TIMESTAMPNS).
        var realTime: Int64?
        /// The address that it was sent to, with port 0.
        var destination: TransportAddress?
        /// The size of the datagrams that the kernel has joined, the last of which may be shorter (UDP_GRO); nil for one.
        var segmentSize: Int?

        init() {}

        init(_ memory: UnsafeRawBufferPointer) {
            var offset = 0
            while offset + ControlMessages.headerSize <= memory.count {
                let total = Int(clamping: memory.loadUnaligned(fromByteOffset: offset, as: UInt.self))
                guard total >= ControlMessages.headerSize, total <= memory.count - offset else { return }
                let start = offset + ControlMessages.headerSize
                note(
                    level: memory.loadUnaligned(fromByteOffset: offset + 8, as: CInt.self),
                    type: memory.loadUnaligned(fromByteOffset: offset + 12, as: CInt.self),
                    UnsafeRawBufferPointer(rebasing: memory[start..<(offset + total)]))
                offset += (total + 7) & ~7
            }
        }

        private mutating func note(level: CInt, type: CInt, _ data: UnsafeRawBufferPointer) {
            switch (level, type) {
            case (SOL_SOCKET, ControlMessages.timestampNanoseconds) where data.count >= 16:
                let seconds = data.loadUnaligned(as: Int64.self)
                realTime =
                    seconds &* 1_000_000_000 &+ data.loadUnaligned(fromByteOffset: 8, as: Int64.self)
            case (CInt(IPPROTO_IP), ControlMessages.ipPacketInfo) where data.count >= 12:
                let address = data.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
                destination = TransportAddress(ipv4: UInt32(bigEndian: address), port: 0)
            case (CInt(IPPROTO_IPV6), ControlMessages.ipv6PacketInfo) where data.count >= 20:
                destination = TransportAddress(
                    high: UInt64(bigEndian: data.loadUnaligned(as: UInt64.self)),
                    low: UInt64(bigEndian: data.loadUnaligned(fromByteOffset: 8, as: UInt64.self)), port: 0)
            case (CInt(IPPROTO_UDP), ControlMessages.udpGRO) where data.count >= 4:
                segmentSize = Int(data.loadUnaligned(as: CInt.self))
            default: break
            }
        }
    }
}
