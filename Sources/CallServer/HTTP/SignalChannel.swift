import NIOCore
import NIOWebSocket

/// A whole message of a WebSocket, its fragments joined and unmasked (RFC 6455 section 5.6).
enum SignalMessage: Sendable, Hashable {
    case binary([UInt8])
    case text(String)
}

/// One accepted WebSocket as the rooms see it: a place to send messages to.
///
/// Calls on `eventLoop` take effect at once; calls from elsewhere are queued there, in their order. Sending on a closed
/// connection does nothing. A client that reads so slowly that `WebSocketLimits.queuedBytes` wait for it is cut off.
final class SignalChannel: Sendable {
    let eventLoop: any EventLoop
    let remoteAddress: SocketAddress?
    private let channel: any Channel

    init(channel: any Channel) {
        self.channel = channel
        eventLoop = channel.eventLoop
        remoteAddress = channel.remoteAddress
    }

    func send(_ message: SignalMessage) { channel.writeAndFlush(Output.message(message), promise: nil) }

    /// Closes with a status code (RFC 6455 section 7.4.1) after everything sent so far; the first call counts.
    ///
    /// - Parameter reason: UTF-8 of up to 123 bytes; the rest is cut off.
    func close(_ code: WebSocketErrorCode = .normalClosure, reason: String = "") {
        channel.writeAndFlush(Output.close(UInt16(webSocketErrorCode: code), reason), promise: nil)
    }

    /// Completes when the connection is over.
    var closed: EventLoopFuture<Void> { channel.closeFuture }

    /// What goes to `WebSocketHandler`.
    enum Output: Sendable {
        case message(SignalMessage)
        case close(UInt16, String)
    }
}

/// Who gets the messages of a `SignalChannel`; called on the WebSocket's loop only, in order.
protocol SignalReceiver: AnyObject, Sendable {
    func received(_ message: SignalMessage)
    /// The client has got the first `count` messages that were sent to it.
    func confirmed(_ count: Int)
    /// The connection is over, with or without a goodbye. Called once, and nothing is called after it.
    func disconnected()
    /// The same, for receivers to whom the client's code (RFC 6455 section 7.4) means something; nil where it said none.
    func disconnected(code: UInt16?)
}

extension SignalReceiver {
    func confirmed(_ count: Int) {}
    func disconnected(code: UInt16?) { disconnected() }
}

/// The verdict on a WebSocket handshake.
enum WebSocketDecision: Sendable {
    /// Upgrade. The closure runs on the connection's loop once frames can flow: it may send at once, and what it returns
    /// receives the messages.
    case accept(@Sendable (SignalChannel) -> any SignalReceiver)
    /// Answer instead; the connection is closed after it.
    case refuse(HTTPResponse)
}
