import NIOCore
import NIOWebSocket

/// Turns a client's frames into messages and judges them by RFC 6455: masks, reserved bits, fragments, UTF-8, close codes.
struct WebSocketAssembler {
    /// What a frame brought.
    enum Event: Equatable {
        case nothing
        case message(SignalMessage)
        /// To be answered with a pong that carries the same bytes.
        case ping(ByteBuffer)
        /// What our ping carried, or anything: a client may send pongs unasked.
        case pong(ByteBuffer)
        /// Code 1005 when the frame carried none.
        case close(UInt16, String)
        /// To be answered with that close code.
        case violation(WebSocketErrorCode, String)
    }

    private struct Unfinished {
        var opcode: WebSocketOpcode
        var bytes: ByteBuffer
        var fragments: Int
    }

    private let maximumBytes: Int
    private let maximumFragments: Int
    private var unfinished: Unfinished?

    init(maximumBytes: Int, maximumFragments: Int) {
        self.maximumBytes = maximumBytes
        self.maximumFragments = maximumFragments
    }

    mutating func receive(_ frame: WebSocketFrame) -> Event {
        // Section 5.1: a client must mask; section 5.2: nothing was negotiated that would use the reserved bits.
        guard frame.maskKey != nil else { return .violation(.protocolError, "a frame without a mask") }
        guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else { return .violation(.protocolError, "a reserved bit is set") }
        switch frame.opcode {
        case .binary, .text, .continuation: return data(frame)
        case .ping: return .ping(frame.unmaskedData)
        case .pong: return .pong(frame.unmaskedData)
        case .connectionClose: return close(frame.unmaskedData)
        default: return .violation(.protocolError, "an unknown opcode")
        }
    }

    private mutating func data(_ frame: WebSocketFrame) -> Event {
        let isFirst = frame.opcode != .continuation
        guard isFirst == (unfinished == nil) else {
            return .violation(.protocolError, isFirst ? "a message inside of another" : "a continuation of nothing")
        }
        guard (unfinished?.bytes.readableBytes ?? 0) + frame.length <= maximumBytes else {
            return .violation(.messageTooLarge, "a message of more than \(maximumBytes) bytes")
        }
        var bytes = frame.unmaskedData
        if isFirst, frame.fin { return message(frame.opcode, bytes) }
        var message = unfinished ?? Unfinished(opcode: frame.opcode, bytes: ByteBuffer(), fragments: 0)
        unfinished = nil
        message.bytes.writeBuffer(&bytes)
        message.fragments += 1
        if frame.fin { return self.message(message.opcode, message.bytes) }
        guard message.fragments < maximumFragments else {
            return .violation(.policyViolation, "a message of more than \(maximumFragments) fragments")
        }
        unfinished = message
        return .nothing
    }

    private func message(_ opcode: WebSocketOpcode, _ bytes: ByteBuffer) -> Event {
        guard opcode == .text else { return .message(.binary(Array(bytes.readableBytesView))) }
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self) else {
            return .violation(.dataInconsistentWithMessage, "text that is not UTF-8")
        }
        return .message(.text(text))
    }

    /// Section 5.5.1: nothing, or a code and a reason.
    private func close(_ body: ByteBuffer) -> Event {
        var body = body
        guard body.readableBytes > 0 else { return .close(1005, "") }
        guard let code = body.readInteger(as: UInt16.self), Self.mayBeSent(code) else {
            return .violation(.protocolError, "an invalid close code")
        }
        guard let reason = String(validating: body.readableBytesView, as: UTF8.self) else {
            return .violation(.dataInconsistentWithMessage, "a close reason that is not UTF-8")
        }
        return .close(code, reason)
    }

    /// Section 7.4: 1004...1006 and 1015 never stand in a frame.
    private static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
