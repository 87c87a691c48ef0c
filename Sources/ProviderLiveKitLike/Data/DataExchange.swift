import CallBridge
import LiveKitProtocol
import MediaCore

/// Messages beside the media, both ways: packets, streams, remote procedure calls. A value.
struct DataExchange {
    private(set) var sender: DataSender
    private(set) var inbox = ReliableInbox()
    private var streams = StreamAssembler()
    private var calls = PendingRPCs()
    private let encryption: FrameEncryption?

    init(encryption: FrameEncryption?, limit: Double) {
        sender = DataSender(encryption: encryption, limit: limit)
        self.encryption = encryption
    }

    /// When something of it is due.
    var deadline: MediaTime? { sender.deadline.earlier(calls.deadline) }

    // MARK: Sending

    mutating func send(
        _ packet: Livekit_DataPacket, from identity: String, for completion: DataSender.Completion,
        _ turn: inout SignallingTurn
    ) {
        do throws(CallError) {
            try sender.append(packet, from: identity, for: completion)
        } catch {
            ended(completion, error, &turn)
        }
    }

    mutating func call(
        _ call: RemoteCall, for command: CommandID, from identity: String, _ turn: inout SignallingTurn
    ) {
        calls.begin(call.id, to: call.recipient, timeout: call.timeout, for: command, now: turn.now)
        send(call.packet, from: identity, for: .call(call.id), &turn)
    }

    /// Goes on with what waits; true where the connection that we send on has to be offered first.
    mutating func advance(isUp: Bool, _ turn: inout SignallingTurn) -> Bool {
        for (command, error) in calls.expire(now: turn.now) { turn.fail(command, error) }
        let outcome = sender.advance(isUp: isUp, &turn)
        for (completion, error) in outcome.ended { ended(completion, error, &turn) }
        return outcome.needsOffer
    }

    mutating func room(_ kind: SessionChannel, buffered: Int, longest: Int, _ turn: inout SignallingTurn) {
        for (completion, error) in sender.room(kind, buffered: buffered, longest: longest, &turn) {
            ended(completion, error, &turn)
        }
    }

    private mutating func ended(
        _ completion: DataSender.Completion, _ error: CallError?, _ turn: inout SignallingTurn
    ) {
        switch (completion, error) {
        case (.none, _), (.call, nil): break
        case (.command(let command), nil): turn.settle(command, .done)
        case (.command(let command), let error?): turn.fail(command, error)
        case (.call(let id), _?): if let command = calls.forget(id) { turn.fail(command, RPCError.sendFailed) }
        }
    }

    // MARK: Channels and sessions

    mutating func prepared(_ channels: Set<SessionChannel>) { sender.prepared(channels) }
    mutating func opened(_ kind: SessionChannel) { sender.opened(kind) }
    mutating func closed(_ kind: SessionChannel) { sender.closed(kind) }
    mutating func resumed(lastSequence: UInt32) { sender.resumed(lastSequence: lastSequence) }

    mutating func beginAnew() {
        sender.beginAnew()
        inbox = ReliableInbox()
    }

    /// Somebody has gone: nobody waits for its answer, and its streams stay incomplete.
    mutating func left(_ identity: String, _ turn: inout SignallingTurn) {
        for command in calls.recipientLeft(identity) { turn.fail(command, RPCError.recipientDisconnected) }
        streams.senderLeft(identity)
    }

    /// The call is over.
    mutating func end(_ turn: inout SignallingTurn) {
        let error = CallError(.network, .providerLost, "the call ended before the data was sent")
        for case .command(let command) in sender.end() { turn.fail(command, error) }
        for command in calls.removeAll() { turn.fail(command, RPCError.recipientDisconnected) }
        streams.end()
    }

    // MARK: Receiving

    /// - Parameter identity: our own, for what we answer at once.
    mutating func received(
        _ bytes: [UInt8], _ kind: SessionChannel, identity: String, _ turn: inout SignallingTurn
    ) {
        guard kind != .dataTrack else { return }
        guard let packet = try? Livekit_DataPacket(wireBytes: bytes) else {
            return turn.perform(.log(.notice, "unreadable data packet dropped", ["bytes": "\(bytes.count)"]))
        }
        guard kind == .lossy || inbox.admit(packet.sequence, from: packet.participantSid),
            let value = opened(packet, &turn)
        else { return }
        take(value, from: packet.participantIdentity, isReliable: kind == .reliable, identity: identity, &turn)
    }

    private mutating func take(
        _ value: Livekit_DataPacket.OneOf_Value, from sender: String, isReliable: Bool, identity: String,
        _ turn: inout SignallingTurn
    ) {
        let name = sender.isEmpty ? nil : sender
        switch value {
        case .user(let user):
            let message = DataMessage(bytes: Array(user.payload), topic: user.topic, isReliable: isReliable)
            let author = name ?? (user.participantIdentity.isEmpty ? nil : user.participantIdentity)
            turn.report(.dataReceived(message, identity: author))
        case .chatMessage(let chat): turn.report(.chatReceived(ChatLine(chat), identity: name))
        case .streamHeader(let header): report(streams.take(header, from: sender), name, &turn)
        case .streamChunk(let chunk): streams.take(chunk, from: sender)
        case .streamTrailer(let trailer): report(streams.take(trailer, from: sender), name, &turn)
        case .rpcRequest(let request): invoked(request, by: sender, identity: identity, &turn)
        case .rpcAck(let ack): calls.acknowledge(ack.requestID, by: sender)
        case .rpcResponse(let response):
            guard let command = calls.answer(response.requestID, by: sender) else { return }
            switch response.result {
            case .success(let payload): turn.settle(command, .answered(payload))
            case .failure(let error): turn.fail(command, error)
            }
        case .speaker, .sipDtmf, .transcription, .encryptedPacket: break
        }
    }

    private mutating func invoked(
        _ request: Livekit_RpcRequest, by caller: String, identity: String, _ turn: inout SignallingTurn
    ) {
        send(.acknowledgement(of: request.id, to: caller), from: identity, for: .none, &turn)
        if let invocation = RPCInvocation(request, by: caller) { return turn.report(.rpcInvoked(invocation)) }
        let refusal = Livekit_DataPacket.answer(request.id, to: caller, .failure(.unsupportedVersion))
        send(refusal, from: identity, for: .none, &turn)
    }

    private func opened(
        _ packet: Livekit_DataPacket, _ turn: inout SignallingTurn
    ) -> Livekit_DataPacket.OneOf_Value? {
        guard case .encryptedPacket(let sealed) = packet.value else { return packet.value }
        let encrypted = EncryptedData(
            iv: Array(sealed.iv), keyIndex: UInt8(clamping: sealed.keyIndex), value: Array(sealed.encryptedValue))
        let identity = packet.participantIdentity
        guard let plain = encryption?.open(data: encrypted, from: identity) else {
            turn.perform(
                .log(.notice, "encrypted data dropped: no key opens it", ["participant": "\(identity)"]))
            return nil
        }
        return EncryptedPayload.decode(plain)
    }

    private func report(_ outcome: StreamAssembler.Outcome, _ identity: String?, _ turn: inout SignallingTurn) {
        switch outcome {
        case .none: break
        case .opened(let stream, let text):
            turn.report(.streamOpened(stream, identity: identity))
            if let text { turn.report(.textReceived(text, identity: identity)) }
        case .text(let text): turn.report(.textReceived(text, identity: identity))
        }
    }
}

extension ChatLine {
    fileprivate init(_ chat: Livekit_ChatMessage) {
        self.init(
            id: chat.id, text: chat.message, sentAtMilliseconds: chat.timestamp,
            editedAtMilliseconds: chat.hasEditTimestamp ? chat.editTimestamp : nil, isDeleted: chat.deleted)
    }
}
