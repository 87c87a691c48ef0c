import CSocket
import Glibc
import RTCWire

/// Reads UDP sockets in batches, recvmmsg(2), into one memory of fixed size, with what the kernel says of each datagram:
/// when it came, to which of our addresses, and whether it is several that the kernel has joined.
///
/// One serves all sockets of a loop: what was read is dealt with before the next reading.
// Every member is touched on its loop only.
final class DatagramReceiver {
    /// A datagram of any length fits, joined ones too.
    static let slotSize = 64 * 1024
    /// Between the beginnings of two slots: not a power of two, else all of them would compete for a few lines of the cache.
    private static let stride = slotSize + 33 * 64
    /// Buffers that one call reads.
    let capacity: Int
    /// For sockets that many peers share.
    static let usual = 32

    private let data: UnsafeMutableRawBufferPointer
    private let control: UnsafeMutableRawBufferPointer
    private let names: UnsafeMutablePointer<sockaddr_in6>
    private let parts: UnsafeMutablePointer<iovec>
    private let headers: UnsafeMutablePointer<csocket_message>

    init(capacity: Int = usual) {
        self.capacity = capacity
        data = .allocate(byteCount: capacity * DatagramReceiver.stride, alignment: 64)
        control = .allocate(byteCount: capacity * ControlMessages.capacity, alignment: 8)
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
            iov_base: data.baseAddress.unsafelyUnwrapped + index * DatagramReceiver.stride,
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

    /// Reads what is there, and gives how many buffers that fills: fewer than `capacity` where no more is there.
    func read(_ descriptor: CInt) -> Int {
        max(0, Int(csocket_receive(descriptor, headers, UInt32(capacity))))
    }

    /// Calls `body` with each datagram of the last reading; its bytes may be changed, and are valid during the call.
    func forEach(
        _ count: Int,
        _ body: (UnsafeMutableRawBufferPointer, TransportAddress, ControlMessages.Received) -> Void
    ) {
        for index in 0..<min(count, capacity) {
            let start = index * DatagramReceiver.stride
            let length = min(Int(headers[index].msg_len), DatagramReceiver.slotSize)
            let used = min(Int(headers[index].msg_hdr.msg_controllen), ControlMessages.capacity)
            let received = ControlMessages.Received(UnsafeRawBufferPointer(rebasing: controlMemory(index)[..<used]))
            let source = TransportAddress(names[index])
            headers[index].msg_hdr.msg_namelen = socklen_t(MemoryLayout<sockaddr_in6>.size)
            headers[index].msg_hdr.msg_controllen = ControlMessages.capacity
            for segment in DatagramSegments(length: length, size: received.segmentSize) {
                let range = (start + segment.lowerBound)..<(start + segment.upperBound)
                body(UnsafeMutableRawBufferPointer(rebasing: data[range]), source, received)
            }
        }
    }
}
