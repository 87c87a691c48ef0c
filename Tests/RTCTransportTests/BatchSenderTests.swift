import Glibc
import NIOPosix
import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// A socket that writes down what it is given and refuses what a test says.
private final class ScriptedSocket: DatagramSending {
    struct Sent: Equatable {
        var port: UInt16
        var lengths: [Int]
        var segmentSize: Int?
        var source: TransportAddress?
    }

    let isIPv4: Bool
    var sent: [Sent] = []
    /// An error number for a send, or 0.
    var fault: (Sent) -> CInt = { _ in 0 }

    init(isIPv4: Bool = true) { self.isIPv4 = isIPv4 }

    func send(
        _ parts: UnsafeMutableBufferPointer<iovec>, to destination: RawSocketAddress, from source: TransportAddress?,
        segmentSize: Int?
    ) -> SendOutcome {
        let send = Sent(
            port: TransportAddress(destination.storage).port, lengths: parts.map(\.iov_len), segmentSize: segmentSize,
            source: source)
        let code = fault(send)
        guard code == 0 else { return SendOutcome(errno: code, isSegmented: segmentSize != nil) }
        sent.append(send)
        return .sent
    }

    /// As the kernel does, which may take fewer messages than there are: one at a time here.
    func send(_ messages: SendVector, from first: Int) -> (sent: Int, outcome: SendOutcome) {
        let message = messages[first]
        let outcome = send(
            messages.parts(of: message), to: message.way.destination, from: message.way.source,
            segmentSize: message.way.segmentSize)
        return (outcome == .sent ? 1 : 0, outcome)
    }
}

@Suite struct BatchSenderTests {
    private let socket = ScriptedSocket()
    private let addresses = AddressTable(isIPv4: true)
    private let outbox = Outbox()
    private let sender: BatchSender<ScriptedSocket>
    private static let bound = TransportAddress(ipv4: 0x7f00_0001, port: 5000)

    init() {
        sender = BatchSender(
            socket: socket, sources: LocalBases(bound: Self.bound, wanted: []), isOffloading: true)
    }

    private func put(_ port: UInt16, _ length: Int, _ urgency: Outbox.Urgency = .media) {
        _ = outbox.reserve(length)
        outbox.commit(length, to: TransportAddress(ipv4: 0x7f00_0001, port: port), urgency: urgency)
    }

    private func flush(_ counts: inout UDPMuxStatistics, at seconds: Int = 0) {
        outbox.putInOrder()
        sender.send(outbox, to: addresses, now: .zero + .seconds(seconds), &counts)
        outbox.removeDatagrams()
    }

    @Test(arguments: [EMSGSIZE, EINVAL, EIO])
    func aSmallMTUConcernsItsDestinationAlone(code: CInt) {
        var counts = UDPMuxStatistics()
        socket.fault = { $0.port == 1 && $0.segmentSize ?? 0 > 500 ? code : 0 }
        for _ in 0..<2 {
            for port: UInt16 in [1, 2] { for _ in 0..<5 { put(port, 1200) } }
            flush(&counts)
        }
        // All datagrams arrive: one by one at the one destination, in runs at the other.
        #expect(socket.sent.filter { $0.port == 1 }.map(\.lengths) == Array(repeating: [1200], count: 10))
        #expect(socket.sent.filter { $0.port == 2 }.map(\.lengths.count) == [5, 5])
        #expect(counts.datagramsSent == 20 && counts.sendFailures == 0 && counts.segmentationRefusals == 1)
        // Short segments pass meanwhile, and later long ones are tried again.
        socket.sent = []
        for _ in 0..<3 { put(1, 100) }
        flush(&counts)
        #expect(socket.sent.map(\.lengths.count) == [3])
        socket.fault = { _ in 0 }
        for _ in 0..<4 { put(1, 1200) }
        flush(&counts, at: 31)
        #expect(socket.sent.map(\.lengths.count) == [3, 4])
    }

    @Test(arguments: [ENETUNREACH, EPERM, EHOSTUNREACH, EACCES, ECONNREFUSED])
    func anUnreachableDestinationCostsOneCall(code: CInt) {
        var counts = UDPMuxStatistics()
        var calls = 0
        socket.fault = { send in
            if send.port == 1 { calls += 1 }
            return send.port == 1 ? code : 0
        }
        for port: UInt16 in [1, 2] { for _ in 0..<6 { put(port, 900) } }
        flush(&counts)
        #expect(calls == 1 && counts.sendFailures == 6 && counts.datagramsSent == 6)
        #expect(socket.sent.map(\.lengths.count) == [6] && counts.segmentationRefusals == 0)
    }

    @Test func aRunWhoseDatagramsDoNotPassEitherIsNoSegmentationFault() {
        var counts = UDPMuxStatistics()
        socket.fault = { $0.port == 1 ? EINVAL : 0 }
        for _ in 0..<6 { put(1, 900) }
        flush(&counts)
        #expect(counts.sendFailures == 6 && counts.segmentationRefusals == 0)
    }

    @Test(arguments: [ENOBUFS, ENOMEM])
    func aMachineWithoutMemoryIsNoFaultOfTheDestination(code: CInt) {
        var counts = UDPMuxStatistics()
        socket.fault = { _ in code }
        for _ in 0..<6 { put(1, 900) }
        flush(&counts)
        #expect(counts.sendQueueDrops == 6 && counts.sendFailures == 0 && counts.segmentationRefusals == 0)
        #expect(!sender.isBlocked)
    }

    @Test func whatASocketHasNoRoomForWaitsInOrder() {
        var counts = UDPMuxStatistics()
        socket.fault = { $0.port == 1 ? EAGAIN : 0 }
        for _ in 0..<6 { put(1, 900) }
        put(2, 100)
        flush(&counts)
        // The second destination has room, and waits behind the first: they share the socket.
        #expect(socket.sent.isEmpty && sender.isBlocked && counts.datagramsSent == 0)
        sender.resume(&counts)
        #expect(socket.sent.isEmpty && sender.isBlocked)
        socket.fault = { _ in 0 }
        put(1, 50)
        flush(&counts)
        #expect(socket.sent.isEmpty)
        sender.resume(&counts)
        #expect(socket.sent.map(\.port) == [1, 2, 1] && !sender.isBlocked)
        #expect(socket.sent.map(\.segmentSize) == [900, nil, nil])
        #expect(socket.sent.map(\.lengths) == [[5400], [100], [50]])
        #expect((counts.datagramsSent, counts.bytesSent, counts.sends, counts.sendQueueDrops) == (8, 5550, 3, 0))
    }

    @Test func theQueueOfASocketWithoutRoomIsBounded() {
        var counts = UDPMuxStatistics()
        socket.fault = { _ in EAGAIN }
        for _ in 0..<1000 { put(1, 1000) }
        flush(&counts)
        let waiting = 1000 - counts.sendQueueDrops
        #expect(waiting > 400 && waiting * 1000 <= SendQueue.limit)
        sender.abandon(&counts)
        #expect(counts.sendQueueDrops == 1000 && !sender.isBlocked)
    }

    @Test(arguments: [EMSGSIZE, EIO]) func aRunThatWaitedMayHaveToGoSingly(code: CInt) {
        var counts = UDPMuxStatistics()
        socket.fault = { _ in EAGAIN }
        for length in [900, 900, 300] { put(1, length) }
        flush(&counts)
        socket.fault = { $0.segmentSize == nil ? 0 : code }
        sender.resume(&counts)
        #expect(socket.sent.map(\.lengths) == [[900], [900], [300]] && counts.datagramsSent == 3)
        #expect(!sender.isBlocked)
    }

    @Test func refusalsAreBounded() {
        var refusals = SegmentationRefusals()
        for port in 0..<1000 {
            refusals.add(TransportAddress(ipv4: 1, port: UInt16(port)), segmentSize: 1200, now: .zero)
        }
        #expect(refusals.count == SegmentationRefusals.limit)
        let newest = refusals.contains(TransportAddress(ipv4: 1, port: 999), segmentSize: 1200, now: .zero)
        let oldest = refusals.contains(TransportAddress(ipv4: 1, port: 0), segmentSize: 1200, now: .zero)
        #expect(newest && !oldest)
    }

    @Test func audioLeavesBeforeAKeyFrameAndRepetitionsLast() {
        var counts = UDPMuxStatistics()
        for port: UInt16 in [1, 2] {
            for _ in 0..<10 { put(port, 1100, .repetition) }
            for _ in 0..<100 { put(port, 1200) }
            put(port, 90, .control)
        }
        flush(&counts)
        #expect(socket.sent.prefix(2).map(\.lengths) == [[90], [90]])
        #expect(socket.sent.prefix(2).map(\.port) == [1, 2])
        // Video goes in whole runs as without audio between: 100 of 1,200 bytes are 50 and 50.
        #expect(socket.sent.dropFirst(2).map(\.lengths.count) == [50, 50, 50, 50, 10, 10])
        #expect(socket.sent.suffix(2).map(\.lengths) == Array(repeating: Array(repeating: 1100, count: 10), count: 2))
        #expect(counts.datagramsSent == 222)
    }

    @Test func anIPv4SocketSendsNothingToIPv6() {
        var counts = UDPMuxStatistics()
        _ = outbox.reserve(10)
        outbox.commit(10, to: TransportAddress(high: 0x2001_0db8_0000_0000, low: 1, port: 9))
        flush(&counts)
        #expect(counts.sendFailures == 1 && socket.sent.isEmpty)
    }
}
