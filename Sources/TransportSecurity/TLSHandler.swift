import NIOCore

/// TLS in a channel: plain bytes on the one side, sealed ones on the other.
///
/// What is written before the handshake is done waits for it. A failed handshake fails `ready`, is told as an error to
/// the handlers behind, and closes the channel.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private enum State {
        case idle
        case handshaking
        case open
        /// We have said that nothing follows; the other side may go on.
        case outputClosed
        case closed
    }

    /// Succeeds when the other side is who it claims to be.
    package var ready: EventLoopFuture<Void> { readiness.futureResult }
    private let session: TLSSession
    private let readiness: EventLoopPromise<Void>
    private var state = State.idle
    private var waiting: [(ByteBuffer, EventLoopPromise<Void>?)] = []

    private init(_ session: consuming TLSSession, _ eventLoop: any EventLoop) {
        self.session = session
        readiness = eventLoop.makePromise()
    }

    /// The client's side. Throws `TLSError`.
    ///
    /// - Parameters:
    ///   - host: the name or IP address that the server's certificate must bear.
    ///   - peer: what people call the server.
    ///   - protocols: what we offer to speak inside.
    package convenience init(
        client context: TLSContext, host: String, peer: String, protocols: [String] = [], on eventLoop: any EventLoop
    ) throws(TLSError) {
        self.init(try TLSSession(context, peer: peer, name: host, protocols: protocols), eventLoop)
    }

    /// The server's side. Throws `TLSError`.
    package convenience init(server context: TLSContext, on eventLoop: any EventLoop) throws(TLSError) {
        self.init(try TLSSession(context, peer: "the client", name: nil, protocols: []), eventLoop)
    }

    // MARK: Beginning and end

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard case .idle = state else { return }
        state = .handshaking
        advance(context)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        end(.closed(peer: session.peer))
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { end(.closed(peer: session.peer)) }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        readiness.fail(error)
        context.fireErrorCaught(error)
    }

    private func end(_ error: TLSError) {
        state = .closed
        readiness.fail(error)
        let dropped = waiting
        waiting = []
        for (_, promise) in dropped { promise?.fail(ChannelError.ioOnClosedChannel) }
    }

    private func fail(_ error: TLSError, _ context: ChannelHandlerContext) {
        // The alert tells the other side why.
        send(context, nil)
        end(error)
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    // MARK: Inwards

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        bytes.withUnsafeReadableBytes { session.receive($0) }
        advance(context)
    }

    private func advance(_ context: ChannelHandlerContext) {
        if case .handshaking = state {
            switch session.handshake() {
            case .needsMore: return send(context, nil)
            case .failed(let error): return fail(error, context)
            case .done:
                state = .open
                send(context, nil)
                readiness.succeed()
                sealWaiting(context)
            }
        }
        deliver(context)
    }

    private func deliver(_ context: ChannelHandlerContext) {
        while true {
            switch state {
            case .open, .outputClosed: break
            case .idle, .handshaking, .closed: return
            }
            switch session.read(context.channel.allocator) {
            case .bytes(let buffer): context.fireChannelRead(wrapInboundOut(buffer))
            case .nothing: return send(context, nil)
            case .ended: return context.pipeline.close(promise: nil)
            case .failed(let error): return fail(error, context)
            }
        }
    }

    // MARK: Outwards

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch state {
        case .idle, .handshaking, .open: waiting.append((unwrapOutboundIn(data), promise))
        case .outputClosed, .closed: promise?.fail(ChannelError.ioOnClosedChannel)
        }
    }

    package func flush(context: ChannelHandlerContext) {
        sealWaiting(context)
        context.flush()
    }

    private func sealWaiting(_ context: ChannelHandlerContext) {
        guard case .open = state, !waiting.isEmpty else { return }
        let writes = waiting
        waiting.removeAll(keepingCapacity: true)
        var isSealed = true
        for (buffer, _) in writes where isSealed { isSealed = buffer.withUnsafeReadableBytes { session.write($0) } }
        let promises = writes.compactMap { $0.1 }
        guard isSealed else {
            for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
            return fail(.library("SSL_write"), context)
        }
        guard !promises.isEmpty else { return send(context, nil) }
        let sent = context.eventLoop.makePromise(of: Void.self)
        for promise in promises { sent.futureResult.cascade(to: promise) }
        send(context, sent)
    }

    private func send(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        guard let buffer = session.output(context.channel.allocator) else {
            promise?.succeed()
            return
        }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: promise)
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode != .input else { return context.close(mode: .input, promise: promise) }
        if case .open = state {
            sealWaiting(context)
            session.shutDown()
            send(context, nil)
            state = .outputClosed
        }
        if mode == .all { end(.closed(peer: session.peer)) }
        context.close(mode: mode, promise: promise)
    }
}
