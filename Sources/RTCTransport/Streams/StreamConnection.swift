import NIOCore
import RTCCore
import RTCWire

/// One TCP connection of a mux: to one remote address, which is that of a peer's candidate.
final class StreamConnection: DatagramSource {
    /// Readings that follow each other before other work of the loop gets its turn.
    private static let maximumReadings = 8

    let remote: TransportAddress
    /// By this address of ours ICE knows it.
    let base: TransportAddress
    let openedAt: Instant
    private(set) var lastReceived: Instant
    /// It is not connected yet.
    private(set) var isOpening: Bool
    /// An authenticated check has come over it, or we have opened it.
    var isProven: Bool
    /// What is to leave at the end of the batch.
    var staged: FrameBatch?
    private let socket: StreamSocket
    private unowned let port: StreamPort
    private var token: UInt64 = 0
    private var unframer = PacketUnframer(maximumPacket: UDPMux.maximumDatagram)
    private var queue = StreamSendQueue()
    private var isWatchingRoom = false

    init(
        _ socket: StreamSocket, remote: TransportAddress, base: TransportAddress, isOurs: Bool, _ port: StreamPort,
        now: Instant
    ) throws(IOError) {
        self.socket = socket
        self.remote = remote
        self.base = base
        self.port = port
        openedAt = now
        lastReceived = now
        isOpening = isOurs
        isProven = isOurs
        token = try port.loop.add(socket.descriptor, self)
        watchRoom(isOpening)
    }

    var isClosed: Bool { socket.isClosed }

    /// Ends it at once. What the kernel has taken still leaves.
    ///
    /// - Returns: how many packets were given up.
    func close() -> Int {
        guard !socket.isClosed else { return 0 }
        port.loop.remove(socket.descriptor, token: token)
        socket.close()
        return queue.removeAll()
    }

    // MARK: Receiving

    func socketIsReadable() {
        guard !isOpening else { return }
        port.mux.receiveOverStream { now in
            for _ in 0..<StreamConnection.maximumReadings {
                guard !isClosed, read(now) else { return }
            }
        }
    }

    /// Reads once; false where there is nothing more for now.
    private func read(_ now: Instant) -> Bool {
        let memory = port.loop.streamMemory.bytes
        let kept = unframer.restore(into: memory)
        let outcome = socket.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[kept...]))
        let count = if case .moved(let count) = outcome { count } else { 0 }
        let read = UnsafeMutableRawBufferPointer(rebasing: memory[..<(kept + count)])
        if count > 0 { lastReceived = now }
        do throws(WireError) {
            try unframer.cut(read) { if !isClosed { port.received($0, over: self, now: now) } }
        } catch {
            port.end(self, now: now)
            return false
        }
        if outcome == .ended { port.end(self, now: now) }
        return count > 0 && kept + count == memory.count
    }

    // MARK: Sending

    /// Sends a batch, or has it wait.
    ///
    /// - Returns: how many packets have left or wait, their bytes, and how many there was no room for.
    func send(_ batch: FrameBatch) -> (taken: Int, bytes: Int, dropped: Int) {
        var sent = 0
        if !isOpening, queue.isEmpty, case .moved(let count) = batch.bytes.withUnsafeBytes({ socket.write($0) }) {
            sent = count
        }
        var result = (taken: 0, bytes: 0, dropped: 0)
        batch.bytes.withUnsafeBytes { bytes in
            for frame in batch.frames {
                let rest = max(frame.range.lowerBound, min(sent, frame.range.upperBound))..<frame.range.upperBound
                let waiting = UnsafeRawBufferPointer(rebasing: bytes[rest])
                if rest.count < frame.range.count {
                    if !rest.isEmpty { queue.begin(waiting) }
                } else if !queue.add(waiting, frame.urgency) {
                    result.dropped += 1
                    continue
                }
                result.taken += 1
                result.bytes += frame.range.count - PacketFraming.headerLength
            }
        }
        watchRoom(isOpening || !queue.isEmpty)
        return result
    }

    func socketIsWritable() {
        guard !isClosed else { return }
        if isOpening {
            guard socket.hasConnected else { return port.end(self, now: MonotonicClock.now()) }
            isOpening = false
        }
        _ = queue.drain { bytes in
            if case .moved(let count) = socket.write(bytes) { count } else { 0 }
        }
        watchRoom(!queue.isEmpty)
    }

    private func watchRoom(_ isWanted: Bool) {
        guard isWanted != isWatchingRoom, !socket.isClosed else { return }
        isWatchingRoom = isWanted
        port.loop.watch(socket.descriptor, token: token, writing: isWanted)
    }
}
