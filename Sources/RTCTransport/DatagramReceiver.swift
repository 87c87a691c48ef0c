import CSocket
import Glibc
import NIOCore
import RTCWire

/// Reads a UDP socket in batches, into memory of its own, with what the kernel says of each datagram: when it came and
/// to which of our addresses.
///
/// NIO waits for the socket and must find something to read: the first datagram of a batch is its, and only looked at
/// here before (MSG_PEEK); the others are read here.
// Every member is touched on the mux's event loop only.
final class DatagramReceiver: @unchecked Sendable {
    /// A longer datagram is cut to it and shows as too long.
    static let slotSize = UDPMux.maximumDatagram + 16

    private let descriptor: CInt
    /// Datagrams that one call reads.
    let capacity: Int
    private let data: UnsafeMutableRawBufferPointer
    private let control: UnsafeMutableRawBufferPointer
    private let names: UnsafeMutablePointer<sockaddr_in6>
    private let parts: UnsafeMutablePointer<iovec>
    private let headers: UnsafeMutablePointer<csocket_message>
    private var peeked: ControlMessages.Received?

    init(descriptor: CInt, capacity: Int) {
        self.descriptor = descriptor
        self.capacity = capacity
        data = .allocate(byteCount: capacity * DatagramReceiver.slotSize, alignment: 16)
        // One more than there are slots: for what is only looked at.
        control = .allocate(byteCount: (capacity + 1) * ControlMessages.capacity, alignment: 8)
        names = .allocate(capacity: capacity)
        parts = .allocate(capacity: capacity)
        headers = .allocate(capacity: capacity)
        for index in 0..<capacity { prepare(index) }
    }

    deinit {
        data.deallocate()
        control.deallocate()
        names.deallocate()
        parts.deallocate()
        headers.deallocate()
    }

    private func prepare(_ index: Int) {
        names.advanced(by: index).initialize(to: sockaddr_in6())
        parts[index] = iovec(
            iov_base: data.baseAddress.unsafelyUnwrapped + index * DatagramReceiver.slotSize,
            iov_len: DatagramReceiver.slotSize)
        var header = csocket_message()
        header.msg_hdr.msg_name = UnsafeMutableRawPointer(names + index)
        header.msg_hdr.msg_namelen = socklen_t(MemoryLayout<sockaddr_in6>.size)
        header.msg_hdr.msg_iov = parts + index
        header.msg_hdr.msg_iovlen = 1
        header.msg_hdr.msg_control = controlMemory(index).baseAddress
        header.msg_hdr.msg_controllen = ControlMessages.capacity
        headers.advanced(by: index).initialize(to: header)
    }

    private func controlMemory(_ index: Int) -> UnsafeMutableRawBufferPointer {
        let start = index * ControlMessages.capacity
        return UnsafeMutableRawBufferPointer(rebasing: control[start..<(start + ControlMessages.capacity)])
    }

    // MARK: The first datagram

    /// Looks at what comes with the next datagram, which NIO is about to read.
    func peek() {
        let memory = controlMemory(capacity)
        var message = msghdr()
        message.msg_control = memory.baseAddress
        message.msg_controllen = memory.count
        let flags = CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)
        guard recvmsg(descriptor, &message, flags) >= 0 else {
            peeked = nil
            return
        }
        peeked = ControlMessages.Received(UnsafeRawBufferPointer(rebasing: memory[..<message.msg_controllen]))
    }

    /// What came with the datagram that NIO has read since.
    func takePeeked() -> ControlMessages.Received {
        defer { peeked = nil }
        return peeked ?? ControlMessages.Received()
    }

    // MARK: The others

    /// Reads what is there, and gives how many datagrams that were: fewer than `capacity` where no more are there.
    func read() -> Int {
        max(0, Int(csocket_receive(descriptor, headers, UInt32(capacity))))
    }

    /// Calls `body` with each datagram of the last reading; its bytes may be changed, and are valid during the call.
    func forEach(
        _ count: Int,
        _ body: (UnsafeMutableRawBufferPointer, TransportAddress, ControlMessages.Received) -> Void
    ) {
        for index in 0..<min(count, capacity) {
            let start = index * DatagramReceiver.slotSize
            let length = min(Int(headers[index].msg_len), DatagramReceiver.slotSize)
            let used = min(Int(headers[index].msg_hdr.msg_controllen), ControlMessages.capacity)
            let received = ControlMessages.Received(UnsafeRawBufferPointer(rebasing: controlMemory(index)[..<used]))
            let source = TransportAddress(names[index])
            headers[index].msg_hdr.msg_namelen = socklen_t(MemoryLayout<sockaddr_in6>.size)
            headers[index].msg_hdr.msg_controllen = ControlMessages.capacity
            body(
                UnsafeMutableRawBufferPointer(rebasing: data[start..<(start + length)]), source, received)
        }
    }
}

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

/// Tells the receiver that NIO is about to read. NIO asks for the size of its buffer before each reading.
struct PeekingAllocator: RecvByteBufferAllocator {
    let receiver: DatagramReceiver

    func nextBufferSize() -> Int? {
        receiver.peek()
        return DatagramReceiver.slotSize
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(capacity: DatagramReceiver.slotSize) }

    mutating func record(actualReadBytes: Int) -> Bool { false }
}
