import LiveKitProtocol
import Logging
import NIOConcurrencyHelpers

/// One signalling connection of a LiveKit client: reads its messages, hands them to its participant on the room's loop.
// `participant`, `usesText`, `saidLeave` and `sentMessages` are touched on the room's loop only.
final class LiveKitSession: SignalReceiver, @unchecked Sendable {
    let ticket: LiveKitTicket
    let logger: Logger
    weak var participant: LiveKitParticipant?
    private let channel: SignalChannel
    private let directory: RoomDirectory
    private let room = NIOLockedValueBox<Room?>(nil)
    /// A client that sends text frames is answered in JSON, until it sends binary ones.
    private var usesText = false
    private var saidLeave = false
    private(set) var sentMessages = 0

    init(channel: SignalChannel, ticket: LiveKitTicket, directory: RoomDirectory, logger: Logger) {
        self.channel = channel
        self.ticket = ticket
        self.directory = directory
        var logger = logger
        logger[metadataKey: "room"] = "\(ticket.room)"
        logger[metadataKey: "identity"] = "\(ticket.identity)"
        self.logger = logger
    }

    /// Goes to the room; once more where that one has just closed.
    func begin() {
        guard let room = ticket.reconnects ? directory.existingRoom(named: ticket.room) : joinedRoom else {
            return refuseResume()
        }
        self.room.withLockedValue { $0 = room }
        room.eventLoop.execute { room.loop.meter.measure(.message, "join") { room.liveKit.enter(self, now: $0) } }
    }

    private var joinedRoom: Room? { directory.room(named: ticket.room) { $0.apply(ticket.claims.roomConfig) } }

    /// Tells a client that there is nothing to come back to; it joins anew by itself.
    func refuseResume() { refuse(.stateMismatch, .reconnect, because: "there is no such session") }

    /// Ends the connection of a client that has not become a participant.
    func refuse(_ reason: Livekit_DisconnectReason, _ action: LeaveAction, because text: String) {
        logger.notice("client sent away", metadata: ["reason": "\(text)"])
        let leave = Livekit_LeaveRequest(reason, action, protocol: ticket.client.protocol)
        if let leave { send(.leave(leave)) }
        close()
    }

    func received(_ message: SignalMessage) {
        guard let room = room.withLockedValue({ $0 }) else { return }
        do {
            let request = try room.loop.meter.measure(.message, "reading of a message") { try read(message) }
            let isText = if case .text = message { true } else { false }
            room.eventLoop.execute {
                self.usesText = isText
                room.loop.meter.measure(.message, request.kind) { self.participant?.handle(request, now: $0) }
            }
        } catch let fault as SignalBounds.Fault where fault.isLength {
            logger.notice("signalling message refused", metadata: ["reason": "\(fault)"])
            channel.close(.messageTooLarge, reason: fault.description)
        } catch {
            close(because: "unreadable signalling message")
        }
    }

    private func read(_ message: SignalMessage) throws -> Livekit_SignalRequest {
        let limits = directory.configuration.limits
        switch message {
        case .binary(let bytes):
            // Each attribute has some bytes of its own beside name and value.
            return try SignalReading.request(
                binary: bytes, metadata: limits.text.metadata + 2 * limits.text.attributes + 16 * 1024)
        case .text(let text): return try SignalReading.request(text: text)
        }
    }

    func confirmed(_ count: Int) {
        guard let room = room.withLockedValue({ $0 }) else { return }
        room.eventLoop.execute { self.participant?.confirmed(count, on: self) }
    }

    func disconnected() {
        guard let room = room.withLockedValue({ $0 }) else { return }
        room.eventLoop.execute {
            room.loop.meter.measure(.message, "disconnection") { self.participant?.signalLost(self, now: $0) }
        }
    }

    func send(_ response: Livekit_SignalResponse) {
        send(response, binary: response.wireBytes)
    }

    /// - Parameter binary: the message in protobuf, which several may get.
    func send(_ response: Livekit_SignalResponse, binary: @autoclosure () -> [UInt8]) {
        if case .leave = response.message { saidLeave = true }
        sentMessages += 1
        channel.send(usesText ? .text(response.wireJSON) : .binary(binary()))
    }

    /// Ends the connection in order. Browser clients take a normal closure for one that they have been told of: where no
    /// leave message says what to do, another code has them come back.
    func close() { channel.close(saidLeave ? .normalClosure : .goingAway) }

    /// Ends the connection for what the client has done.
    func close(because reason: String) {
        logger.notice("signalling connection closed", metadata: ["reason": "\(reason)"])
        channel.close(.protocolError)
    }
}
