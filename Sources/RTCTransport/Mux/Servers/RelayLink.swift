import NIOCore
import Synchronization

/// What a mux has of the stream to a TURN server: the channel lives on one of NIO's loops, and what is sent goes there in
/// order, one crossing a flush.
// `waiting` is touched on the mux's loop only; the rest is made for any thread.
final class RelayLink: @unchecked Sendable {
    /// Bytes under way between the loops at the most.
    private static let limit = 256 * 1024

    private let channel: any Channel
    private let underWay = Atomic<Int>(0)
    private var waiting: [ByteBuffer] = []

    init(_ channel: any Channel) { self.channel = channel }

    /// Takes a message to be sent at the next flush. What a slow stream has no room for is lost, as on a network.
    func add(_ bytes: UnsafeRawBufferPointer) {
        guard channel.isWritable, underWay.load(ordering: .relaxed) < RelayLink.limit else { return }
        underWay.add(bytes.count, ordering: .relaxed)
        waiting.append(channel.allocator.buffer(bytes: bytes))
    }

    func flush() {
        guard !waiting.isEmpty else { return }
        let messages = waiting
        waiting = []
        channel.eventLoop.execute { [self] in
            for message in messages {
                underWay.subtract(message.readableBytes, ordering: .relaxed)
                channel.write(message, promise: nil)
            }
            channel.flush()
        }
    }

    /// Closes the stream behind what was sent so far.
    func close() {
        flush()
        channel.close(promise: nil)
    }
}
