import CSocket
import Glibc
import RTCWire

/// Messages that leave by one system call, sendmmsg(2): to enter the kernel costs a fifth of what a datagram does.
///
/// Memory of fixed size, which all sockets of a loop take turns with: it is empty between two sends.
// Every member is touched on its loop only.
final class SendVector {
    /// One message: a datagram, or several that the kernel cuts apart.
    struct Message {
        var way: SendWay
        /// Its first datagram, by whatever number the caller knows it.
        var first: Int32
        /// Datagrams in it, and bytes of all of them.
        var count: Int
        var bytes: Int
        fileprivate var firstPart: Int
    }

    static let capacity = 32
    /// Parts of all messages: each datagram is one. Twice of what the kernel takes as one message.
    static let partCapacity = 128
    /// A segment size and a source address.
    private static let controlSize = 64

    private(set) var count = 0
    private var partCount = 0
    private var closedParts = 0
    private let messages = UnsafeMutablePointer<Message>.allocate(capacity: SendVector.capacity)
    private let headers = UnsafeMutablePointer<csocket_message>.allocate(capacity: SendVector.capacity)
    private let parts = UnsafeMutablePointer<iovec>.allocate(capacity: SendVector.partCapacity)
    private let names = UnsafeMutablePointer<sockaddr_in6>.allocate(capacity: SendVector.capacity)
    private let control = UnsafeMutableRawBufferPointer.allocate(
        byteCount: SendVector.capacity * SendVector.controlSize, alignment: 8)

    init() { headers.initialize(repeating: csocket_message(), count: SendVector.capacity) }

    deinit {
        messages.deallocate()
        headers.deallocate()
        parts.deallocate()
        names.deallocate()
        control.deallocate()
    }

    /// Whether a message of so many parts can be added.
    func hasRoom(_ partCount: Int) -> Bool {
        count < SendVector.capacity && self.partCount + partCount <= SendVector.partCapacity
    }

    /// Adds a datagram to the message that is being put together. Its bytes must stay until it is sent.
    func add(_ bytes: UnsafeRawBufferPointer) {
        (parts + partCount).initialize(
            to: iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count))
        partCount += 1
    }

    /// Ends a message.
    func close(_ way: SendWay, first: Int32, bytes: Int, isIPv4: Bool) {
        let count = partCount - closedParts
        (messages + self.count).initialize(
            to: Message(way: way, first: first, count: count, bytes: bytes, firstPart: closedParts))
        (names + self.count).initialize(to: way.destination.storage)
        let start = self.count * SendVector.controlSize
        var writer = ControlMessages.Writer(
            UnsafeMutableRawBufferPointer(rebasing: control[start..<(start + SendVector.controlSize)]))
        if let size = way.segmentSize { writer.addSegmentSize(UInt16(clamping: size)) }
        if let source = way.source { writer.addSource(source, isIPv4: isIPv4) }
        var header = msghdr()
        header.msg_name = UnsafeMutableRawPointer(names + self.count)
        header.msg_namelen = RawSocketAddress.length(isIPv4: isIPv4)
        header.msg_iov = parts + closedParts
        header.msg_iovlen = count
        if writer.length > 0 {
            header.msg_control = writer.memory.baseAddress
            header.msg_controllen = writer.length
        }
        headers[self.count].msg_hdr = header
        closedParts = partCount
        self.count += 1
    }

    subscript(index: Int) -> Message { messages[index] }

    /// The datagrams of a message.
    func parts(of message: Message) -> UnsafeMutableBufferPointer<iovec> {
        UnsafeMutableBufferPointer(start: parts + message.firstPart, count: message.count)
    }

    func removeAll() {
        count = 0
        partCount = 0
        closedParts = 0
    }

    /// Sends from the message `first` on. Gives how many have left; where none has, `errno` says why.
    func send(from first: Int, on descriptor: CInt) -> Int {
        Int(csocket_send(descriptor, headers + first, UInt32(count - first)))
    }
}
