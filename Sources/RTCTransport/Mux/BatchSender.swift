import Glibc
import RTCCore
import RTCWire

/// Sends what stands in an outbox: what is most urgent first, runs to one destination as one segmented send each. Where
/// the socket has no room, a bounded queue waits for it.
final class BatchSender<Socket: DatagramSending> {
    private let socket: Socket
    private let isOffloading: Bool
    private let sources: LocalBases
    private let vectors = UnsafeMutableBufferPointer<iovec>.allocate(capacity: DatagramBatch.maximumSegments)
    private var batch = DatagramBatch()
    private var refusals = SegmentationRefusals()
    private var queue = SendQueue()

    /// - Parameter isOffloading: whether the kernel cuts sends into segments.
    init(socket: Socket, sources: LocalBases, isOffloading: Bool) {
        self.socket = socket
        self.sources = sources
        self.isOffloading = isOffloading
    }

    deinit { vectors.deallocate() }

    /// Sends all datagrams. Their order towards one destination is kept within an urgency.
    func send(_ outbox: Outbox, to addresses: borrowing AddressTable, now: Instant, _ counts: inout UDPMuxStatistics) {
        let datagrams = outbox.datagrams
        if datagrams.count == 1 {
            vectors[0] = vector(datagrams[0], outbox)
            transmit(1, datagrams[0], addresses, segmentSize: nil, datagrams[0].length, &counts)
            return
        }
        var start = 0
        while start < datagrams.count {
            var end = start + 1
            while end < datagrams.count, datagrams[end].urgency == datagrams[start].urgency { end += 1 }
            batch.group(datagrams, in: start..<end)
            for head in batch.heads { sendRuns(from: head, of: datagrams, outbox, addresses, now, &counts) }
            start = end
        }
    }

    private func sendRuns(
        from head: Int32, of datagrams: [Outbox.Datagram], _ outbox: Outbox, _ addresses: borrowing AddressTable,
        _ now: Instant, _ counts: inout UDPMuxStatistics
    ) {
        let destination = datagrams[Int(head)].destination
        var cursor = head
        while cursor >= 0 {
            let first = datagrams[Int(cursor)]
            var run = batch.run(from: cursor, in: datagrams)
            if run.count > 1,
                !isOffloading || refusals.contains(destination, segmentSize: first.length, now: now)
            {
                run = (1, first.length, batch.following(cursor))
            }
            var index = cursor
            for position in 0..<run.count {
                vectors[position] = vector(datagrams[Int(index)], outbox)
                index = batch.following(index)
            }
            let segment = run.count > 1 ? first.length : nil
            let outcome = transmit(run.count, first, addresses, segmentSize: segment, run.bytes, &counts)
            if outcome == .unsegmentable {
                sendSingly(run.count, from: cursor, of: datagrams, outbox, addresses, now, &counts)
            }
            cursor = run.following
        }
    }

    /// Sends the datagrams of a run that was refused. Where they pass, the destination takes no segments; where the first
    /// one does not pass either, none does.
    private func sendSingly(
        _ count: Int, from first: Int32, of datagrams: [Outbox.Datagram], _ outbox: Outbox,
        _ addresses: borrowing AddressTable, _ now: Instant, _ counts: inout UDPMuxStatistics
    ) {
        var index = first
        for position in 0..<count {
            let datagram = datagrams[Int(index)]
            vectors[0] = vector(datagram, outbox)
            let outcome = transmit(1, datagram, addresses, segmentSize: nil, datagram.length, &counts)
            if position == 0 {
                guard outcome != .failed else {
                    counts.sendFailures += count - 1
                    return
                }
                counts.segmentationRefusals += 1
                refusals.add(datagram.destination, segmentSize: datagram.length, now: now)
            }
            index = batch.following(index)
        }
    }

    private func vector(_ datagram: Outbox.Datagram, _ outbox: Outbox) -> iovec {
        let bytes = outbox.bytes(of: datagram)
        return iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }

    /// Sends the first `count` vectors, or keeps them until the socket has room.
    @discardableResult
    private func transmit(
        _ count: Int, _ datagram: Outbox.Datagram, _ addresses: borrowing AddressTable, segmentSize: Int?,
        _ bytes: Int, _ counts: inout UDPMuxStatistics
    ) -> SendOutcome {
        // An IPv4 socket has no way to the other family.
        guard !socket.isIPv4 || datagram.destination.isIPv4 else {
            counts.sendFailures += count
            return .failed
        }
        let way = SendQueue.Way(
            destination: addresses.socketAddress(of: datagram.destination),
            source: sources.source(ofPath: datagram.path), segmentSize: segmentSize)
        let parts = UnsafeMutableBufferPointer(rebasing: vectors[..<count])
        // Nothing overtakes what waits.
        var outcome = SendOutcome.full
        if queue.isEmpty {
            outcome = socket.send(parts, to: way.destination, from: way.source, segmentSize: segmentSize)
        }
        if outcome == .full, queue.add(parts, bytes: bytes, way) { return .full }
        counts.note(outcome, count, bytes)
        return outcome
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
            vectors[0] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
            return socket.send(
                UnsafeMutableBufferPointer(rebasing: vectors[..<1]), to: waiting.way.destination,
                from: waiting.way.source, segmentSize: segmentSize)
        }
    }
}
