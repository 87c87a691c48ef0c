import Glibc
import RTCCore
import RTCWire

/// Sends what stands in an outbox: what is most urgent first, runs to one destination as one segmented send each. Where
/// the socket has no room, a bounded queue waits for it.
final class BatchSender<Socket: DatagramSending> {
    private let socket: Socket
    private let isOffloading: Bool
    private let sources: LocalBases
    /// What goes with the next system call.
    private let messages: SendVector
    private var batch = DatagramBatch()
    private var refusals = SegmentationRefusals()
    private var queue = SendQueue()

    /// - Parameters:
    ///   - isOffloading: whether the kernel cuts sends into segments.
    ///   - messages: others may use it between two calls.
    init(socket: Socket, sources: LocalBases, isOffloading: Bool, messages: SendVector = SendVector()) {
        self.socket = socket
        self.sources = sources
        self.isOffloading = isOffloading
        self.messages = messages
    }

    /// Sends all datagrams. Their order towards one destination is kept within an urgency.
    func send(_ outbox: Outbox, to addresses: borrowing AddressTable, now: Instant, _ counts: inout UDPMuxStatistics) {
        let datagrams = outbox.datagrams
        var start = 0
        while start < datagrams.count {
            let end = outbox.endOfUrgency(from: start)
            batch.group(datagrams, in: start..<end)
            for head in batch.heads { addRuns(from: head, of: datagrams, outbox, addresses, now, &counts) }
            transmit(datagrams, outbox, now, &counts)
            start = end
        }
    }

    private func addRuns(
        from head: Int32, of datagrams: [Outbox.Datagram], _ outbox: Outbox, _ addresses: borrowing AddressTable,
        _ now: Instant, _ counts: inout UDPMuxStatistics
    ) {
        let first = datagrams[Int(head)]
        // An IPv4 socket has no way to the other family.
        let isReachable = !socket.isIPv4 || first.destination.isIPv4
        var way = SendWay(
            destination: addresses.socketAddress(of: first.destination), source: sources.source(ofPath: first.path))
        var cursor = head
        while cursor >= 0 {
            let size = datagrams[Int(cursor)].length
            var run = (count: 1, bytes: size, following: batch.following(cursor))
            if isOffloading, !refusals.contains(first.destination, segmentSize: size, now: now) {
                run = batch.run(from: cursor, in: datagrams)
            }
            if isReachable {
                way.segmentSize = run.count > 1 ? size : nil
                if !messages.hasRoom(run.count) { transmit(datagrams, outbox, now, &counts) }
                add(run.count, from: cursor, of: datagrams, outbox)
                messages.close(way, first: cursor, bytes: run.bytes, isIPv4: socket.isIPv4)
            } else {
                counts.sendFailures += run.count
            }
            cursor = run.following
        }
    }

    private func add(_ count: Int, from first: Int32, of datagrams: [Outbox.Datagram], _ outbox: Outbox) {
        var index = first
        for _ in 0..<count {
            messages.add(outbox.bytes(of: datagrams[Int(index)]))
            index = batch.following(index)
        }
    }

    /// Sends the messages that were added, or keeps them until the socket has room.
    private func transmit(
        _ datagrams: [Outbox.Datagram], _ outbox: Outbox, _ now: Instant, _ counts: inout UDPMuxStatistics
    ) {
        var position = 0
        while position < messages.count {
            let message = messages[position]
            // Nothing overtakes what waits.
            let (sent, outcome) = queue.isEmpty ? socket.send(messages, from: position) : (0, .full)
            for index in position..<(position + sent) {
                counts.note(.sent, messages[index].count, messages[index].bytes)
            }
            position += max(sent, 1)
            if sent > 0 { continue }
            switch outcome {
            case .full where queue.add(messages.parts(of: message), bytes: message.bytes, message.way): break
            case .unsegmentable: sendSingly(message, of: datagrams, outbox, now, &counts)
            default: counts.note(outcome, message.count, message.bytes)
            }
        }
        messages.removeAll()
    }

    /// Sends the datagrams of a run that was refused. Where they pass, the destination takes no segments; where the first
    /// one does not pass either, none does.
    private func sendSingly(
        _ refused: SendVector.Message, of datagrams: [Outbox.Datagram], _ outbox: Outbox, _ now: Instant,
        _ counts: inout UDPMuxStatistics
    ) {
        var way = refused.way
        way.segmentSize = nil
        var index = refused.first
        for position in 0..<refused.count {
            let datagram = datagrams[Int(index)]
            let outcome = sendSingly(outbox.bytes(of: datagram), way, &counts)
            if position == 0 {
                guard outcome != .failed else {
                    counts.sendFailures += refused.count - 1
                    return
                }
                // The run before it may have said so already.
                if !refusals.contains(datagram.destination, segmentSize: datagram.length, now: now) {
                    counts.segmentationRefusals += 1
                    refusals.add(datagram.destination, segmentSize: datagram.length, now: now)
                }
            }
            index = batch.following(index)
        }
    }

    /// Sends one datagram, or keeps it until the socket has room.
    private func sendSingly(
        _ bytes: UnsafeRawBufferPointer, _ way: SendWay, _ counts: inout UDPMuxStatistics
    ) -> SendOutcome {
        withPart(bytes) { part in
            var outcome = SendOutcome.full
            if queue.isEmpty {
                outcome = socket.send(part, to: way.destination, from: way.source, segmentSize: nil)
            }
            if outcome == .full, queue.add(part, bytes: bytes.count, way) { return .full }
            counts.note(outcome, 1, bytes.count)
            return outcome
        }
    }

    private func withPart<Result>(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeMutableBufferPointer<iovec>) -> Result
    ) -> Result {
        var part = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &part) { body(UnsafeMutableBufferPointer(start: $0, count: 1)) }
    }

    // MARK: Waiting for room

    /// Datagrams wait until the socket has room.
    var isBlocked: Bool { !queue.isEmpty }

    /// The socket has room: sends what waits, as far as it goes.
    func resume(_ counts: inout UDPMuxStatistics) {
        while let waiting = queue.first {
            let outcome = send(waiting, segmentSize: waiting.way.segmentSize)
            guard outcome != .full else { return }
            queue.removeFirst()
            guard outcome == .unsegmentable, let size = waiting.way.segmentSize else {
                counts.note(outcome, waiting.count, waiting.bytes.count)
                continue
            }
            for segment in DatagramSegments(length: waiting.bytes.count, size: size) {
                let single = SendQueue.Entry(bytes: Array(waiting.bytes[segment]), count: 1, way: waiting.way)
                counts.note(send(single, segmentSize: nil), 1, segment.count)
            }
        }
    }

    /// Gives up what waits.
    func abandon(_ counts: inout UDPMuxStatistics) {
        while let waiting = queue.first {
            counts.sendQueueDrops += waiting.count
            queue.removeFirst()
        }
    }

    private func send(_ waiting: SendQueue.Entry, segmentSize: Int?) -> SendOutcome {
        waiting.bytes.withUnsafeBytes { bytes in
            withPart(bytes) {
                socket.send($0, to: waiting.way.destination, from: waiting.way.source, segmentSize: segmentSize)
            }
        }
    }
}
