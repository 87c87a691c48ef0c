import NIOConcurrencyHelpers
import NIOCore
import NIOWebSocket
import OpenTokSignalling

/// One WebSocket of a client, which hands its frames to its member on the room's loop.
// `member` is touched on the room's loop only.
final class OpenTokSocket: SignalReceiver, @unchecked Sendable {
    let request: RumorSocketRequest
    let ticket: String
    weak var member: OpenTokMember?
    private let channel: SignalChannel
    private let room = NIOLockedValueBox<Room?>(nil)

    init(channel: SignalChannel, request: RumorSocketRequest, ticket: String) {
        self.channel = channel
        self.request = request
        self.ticket = ticket
    }

    /// Goes to the session's room; where that has closed meanwhile, `again` makes another.
    func enter(_ room: Room, again: @escaping @Sendable () -> Void) {
        self.room.withLockedValue { $0 = room }
        room.eventLoop.execute {
            guard !room.isClosed else { return again() }
            room.loop.meter.measure(.message, "opentok socket") { now in
                guard let session = room.openTok else { return self.close(1011) }
                session.enter(self, now: now)
            }
        }
    }

    func received(_ message: SignalMessage) {
        guard let room = room.withLockedValue({ $0 }) else { return }
        guard case .binary(let bytes) = message else { return channel.close(.unacceptableData) }
        room.eventLoop.execute {
            room.loop.meter.measure(.message, "opentok frame") { self.member?.received(bytes, on: self, now: $0) }
        }
    }

    func disconnected() { disconnected(code: nil) }

    func disconnected(code: UInt16?) {
        guard let room = room.withLockedValue({ $0 }) else { return }
        room.eventLoop.execute {
            room.loop.meter.measure(.message, "opentok disconnection") {
                // 1006: no code has come (RFC 6455 section 7.1.5).
                self.member?.lost(self, code: Int(code ?? 1006), now: $0)
            }
        }
    }

    func send(_ bytes: [UInt8]) { channel.send(.binary(bytes)) }

    /// - Parameter code: of RFC 6455 section 7.4.
    func close(_ code: Int) { channel.close(Self.code(code)) }

    private static func code(_ code: Int) -> WebSocketErrorCode {
        switch code {
        case 1000: .normalClosure
        case 1001: .goingAway
        case 1002: .protocolError
        case 1011: .unexpectedServerError
        default: .unknown(UInt16(clamping: code))
        }
    }
}
