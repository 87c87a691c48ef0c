import RTCWire
import Synchronization

/// A whole encoded picture as it came out of the network. Its memory goes back to the pool with the last reference.
// Nobody changes a frame once its receiver has it from the buffer and has set its time.
package final class AssembledVideoFrame: @unchecked Sendable {
    /// The frame without payload descriptors, as a decoder takes it; valid as long as this object lives.
    package let bytes: UnsafeRawBufferPointer
    /// As on the wire, 90 kHz.
    package let timestamp: UInt32
    package let codec: MediaCodec
    package let isKeyFrame: Bool
    /// Its place among the frames that the buffer has released, from 0.
    package let order: Int
    /// Temporal layer, 0...3; 0 without layers.
    package let temporalID: UInt8
    /// RTP packets it came in.
    package let packetCount: Int
    /// When its first packet came.
    package let firstArrival: Instant
    /// When its last packet came.
    package let lastArrival: Instant
    /// Whether a packet of it came by retransmission.
    package let isRepaired: Bool
    /// When it is to be shown; its receiver sets it, once, before anybody else has the frame.
    package internal(set) var renderTime = Instant.zero
    /// Nobody would see it, for the next one is shown at the same moment: it is decoded only. Set like `renderTime`.
    package internal(set) var isUnseen = false

    private let memory: UnsafeMutableRawBufferPointer
    private let pool: VideoFramePool

    init(_ assembly: FrameAssembly, order: Int, memory: UnsafeMutableRawBufferPointer, pool: VideoFramePool) {
        self.order = order
        bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<assembly.length])
        timestamp = assembly.timestamp
        codec = .vp8
        isKeyFrame = assembly.isKeyFrame
        temporalID = assembly.descriptor.temporalID ?? 0
        packetCount = assembly.chunks.count
        firstArrival = assembly.firstArrival
        lastArrival = assembly.lastArrival
        isRepaired = assembly.isRepaired
        self.memory = memory
        self.pool = pool
    }

    /// A picture that was put together elsewhere.
    init(
        _ payload: [UInt8], _ codec: MediaCodec, timestamp: UInt32, isKeyFrame: Bool, packets: Int, first: Instant,
        last: Instant, order: Int, pool: VideoFramePool
    ) {
        self.order = order
        self.timestamp = timestamp
        self.codec = codec
        self.isKeyFrame = isKeyFrame
        temporalID = 0
        packetCount = packets
        firstArrival = first
        lastArrival = last
        isRepaired = false
        memory = .allocate(byteCount: max(payload.count, 1), alignment: 16)
        memory.copyBytes(from: payload)
        bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<payload.count])
        self.pool = pool
    }

    deinit { pool.give(back: memory) }
}

/// Frame memory that is used again. Frames come back from whatever thread drops the last reference.
package final class VideoFramePool: Sendable {
    /// Larger memory isn't kept.
    private static let largest = 256 * 1_024
    private static let smallest = 4_096
    /// Bytes that wait for reuse, at most.
    private let limit: Int

    // One owner at a time: a frame that gives its memory up, or the pool.
    private struct Memory: @unchecked Sendable { var buffer: UnsafeMutableRawBufferPointer }
    private let free = Mutex<(memory: [Memory], bytes: Int)>(([], 0))

    /// - Parameter limit: bytes that wait for reuse, at most.
    package init(limit: Int = 4 * largest) { self.limit = limit }

    deinit { free.withLock { for memory in $0.memory { memory.buffer.deallocate() } } }

    func take() -> UnsafeMutableRawBufferPointer {
        let known = free.withLock { free in
            let memory = free.memory.popLast()
            free.bytes -= memory?.buffer.count ?? 0
            return memory
        }
        return known?.buffer ?? .allocate(byteCount: Self.smallest, alignment: 16)
    }

    /// Bytes that wait for reuse.
    var waitingBytes: Int { free.withLock { $0.bytes } }

    func give(back buffer: UnsafeMutableRawBufferPointer) {
        let memory = Memory(buffer: buffer)
        let isKept = free.withLock {
            guard memory.buffer.count <= Self.largest, $0.bytes + memory.buffer.count <= limit else { return false }
            $0.memory.append(memory)
            $0.bytes += memory.buffer.count
            return true
        }
        if !isKept { buffer.deallocate() }
    }
}
