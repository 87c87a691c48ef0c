import NIOCore
import NIOHTTP1
import NIOPosix

extension HTTPConnection {
    /// Bytes of a file that are in memory for one connection.
    private static let piece: Int64 = 128 * 1024

    /// Sends a file piece by piece: the next one is read when the client has taken the one before, within the time for reading
    /// an answer. One that gets shorter meanwhile ends the connection.
    func send(_ part: HTTPFilePart, _ context: ChannelHandlerContext) {
        guard case .writing = state else { return }
        guard part.length > 0 else { return finish(context) }
        setDeadline(limits.requestTimeout, context)
        let count = min(part.length, Self.piece)
        let reading = NIOThreadPool.singleton.runIfActive(eventLoop: context.eventLoop) {
            part.file.read(at: part.offset, count: Int(count))
        }
        reading.assumeIsolated().whenComplete { [self] result in
            guard case .writing = state else { return }
            guard case .success(let bytes?) = result else { return context.close(promise: nil) }
            let rest = HTTPFilePart(
                file: part.file, offset: part.offset + Int64(bytes.readableBytes),
                length: part.length - Int64(bytes.readableBytes))
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes)))).assumeIsolated().whenComplete {
                [self] result in
                guard case .success = result else { return context.close(promise: nil) }
                send(rest, context)
            }
        }
    }
}
