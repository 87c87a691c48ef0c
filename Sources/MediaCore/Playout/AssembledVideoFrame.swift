import RTCWire
import Synchronization

/// A whole encoded picture as it came out of the network. Its memory goes back to the pool with the last reference.
// Nobody changes a frame once the buffer has released it.
package final class AssembledVideoFrame: @unchecked Sendable {
    /// The frame without payload descriptors, as a decoder takes it; valid as long as this object lives.
    package let bytes: UnsafeRawBufferPointer
    /// As on the wire, 90 kHz.
    package let timestamp: UInt32
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

    private let memory: UnsafeMutableRawBufferPointer
    private let pool: VideoFramePool

    init(_ assembly: FrameAssembly, order: Int, memory: UnsafeMutableRawBufferPointer, pool: VideoFramePool) {
        self.order = order
        bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<assembly.length])
        timestamp = assembly.timestamp
        isKeyFrame = assembly.isKeyFrame
        temporalID = assembly.descriptor.temporalID ?? 0
        packetCount = assembly.chunks.count
        firstArrival = assembly.firstArrival
        lastArrival = assembly.lastArrival
        self.memory = memory
        self.pool = pool
    }

    deinit { pool.give(back: memory) }
}

/// Frame memory that is used again. Frames come back from whatever thread drops the last reference.
final class VideoFramePool: Sendable {
    /// Memory that waits for reuse, at most.
    private static let limit = 4
    /// Larger memory isn't kept.
    private static let largest = 256 * 1_024
    private static let smallest = 4_096

    // One owner at a time: a frame that gives its memory up, or the pool.
    private struct Memory: @unchecked Sendable { var buffer: UnsafeMutableRawBufferPointer }
    private let free = Mutex<[Memory]>([])

    deinit { free.withLock { for memory in $0 { memory.buffer.deallocate() } } }

    func take() -> UnsafeMutableRawBufferPointer {
        free.withLock { $0.popLast() }?.buffer ?? .allocate(byteCount: Self.smallest, alignment: 16)
    }

    func give(back buffer: UnsafeMutableRawBufferPointer) {
        let memory = Memory(buffer: buffer)
        let isKept = free.withLock {
            guard $0.count < Self.limit, memory.buffer.count <= Self.largest else { return false }
            $0.append(memory)
            return true
        }
        if !isKept { buffer.deallocate() }
    }
}
