import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore

/// Data packets: sent in order, repeated after a resume, told once.
extension LiveKitSession {
    /// The largest message, in bytes, where the server doesn't say less: as LiveKit's clients have it.
    static let largestPacket = 64_000
    /// How much may wait in a channel, in bytes.
    private static let fullChannel = 2 * 1024 * 1024

    func send(_ message: DataMessage, to identities: [String]) async throws {
        try await send(
            .with {
                $0.kind = message.isReliable ? .reliable : .lossy
                $0.destinationIdentities = identities
                $0.user.payload = Data(message.bytes)
                $0.user.destinationIdentities = identities
                if !message.topic.isEmpty { $0.user.topic = message.topic }
            })
    }

    func send(_ line: ChatLine, to identities: [String]) async throws {
        try await send(
            .with {
                $0.destinationIdentities = identities
                $0.chatMessage.id = line.id
                $0.chatMessage.message = line.text
                $0.chatMessage.timestamp = line.sentAtMilliseconds
                $0.chatMessage.deleted = line.isDeleted
                if let edited = line.editedAtMilliseconds { $0.chatMessage.editTimestamp = edited }
            })
    }

    /// Sends a packet when its turn has come; returns when the channel has taken it. Throws `CallError`.
    func send(_ packet: Livekit_DataPacket) async throws {
        var packet = try sealed(packet)
        packet.participantIdentity = local.identity
        if let failure = Self.tooLong(packet, limit: Self.largestPacket) { throw failure }
        guard !hasEnded else { throw endedError }
        let failure = await withCheckedContinuation { continuation in
            data.waiting.append(.init(packet: packet, continuation: continuation))
            sendWaiting()
        }
        if let failure { throw failure }
    }

    /// The error where a packet, with the number that it will get, is longer than `limit` bytes.
    private static func tooLong(_ packet: Livekit_DataPacket, limit: Int) -> CallError? {
        let size = packet.wireBytes.count + 8
        guard size > limit else { return nil }
        return CallError(
            .caller, .invalidArgument,
            "a data message of \(size) bytes is too long: at most \(limit) fit, a stream takes any number")
    }

    private func sealed(_ packet: Livekit_DataPacket) throws -> Livekit_DataPacket {
        guard let encryption = joiner.context.media.frameEncryption, let value = packet.value,
            let plain = EncryptedPayload.encode(value)
        else { return packet }
        guard let sealed = encryption.seal(data: plain) else {
            throw CallError(.caller, .invalidArgument, "data can't be encrypted: no key is set")
        }
        var packet = packet
        packet.encryptedPacket.encryptionType = .gcm
        packet.encryptedPacket.iv = Data(sealed.iv)
        packet.encryptedPacket.keyIndex = UInt32(sealed.keyIndex)
        packet.encryptedPacket.encryptedValue = Data(sealed.value)
        return packet
    }

    /// One task sends, so that the order of the packets is that of their numbers.
    private func sendWaiting() {
        guard !data.isSending else { return }
        data.isSending = true
        Task { await sendAll() }
    }

    private func sendAll() async {
        while !hasEnded, !(data.repeats.isEmpty && data.waiting.isEmpty) { await sendNext() }
        data.isSending = false
        if hasEnded { endData() }
    }

    private func sendNext() async {
        let isLossy = data.repeats.isEmpty && data.waiting.first?.packet.kind == .lossy
        let failure = await ready(isLossy ? .lossy : .reliable)
        if !data.repeats.isEmpty, failure == nil, let channel = channels[.reliable] {
            let bytes = data.repeats.removeFirst()
            return await put(bytes, on: channel)
        }
        guard !data.waiting.isEmpty else { return data.repeats = [] }
        let next = data.waiting.removeFirst()
        guard failure == nil, let channel = channels[isLossy ? .lossy : .reliable] else {
            data.repeats = []
            return next.continuation.resume(returning: failure ?? Self.noChannel)
        }
        if let failure = Self.tooLong(next.packet, limit: await channel.maximumMessageSize()) {
            return next.continuation.resume(returning: failure)
        }
        await put(isLossy ? next.packet.wireBytes : data.outbox.number(next.packet), on: channel)
        next.continuation.resume(returning: nil)
    }

    /// A channel that fails meanwhile loses nothing that is numbered: the resume repeats it.
    private func put(_ bytes: [UInt8], on channel: DataChannel) async {
        do { try await channel.send(bytes) } catch {
            logger.info("data not sent", metadata: ["label": "\(channel.label)", "reason": "\(error)"])
        }
    }

    private static let noChannel = CallError(
        .network, .unreachable, "the server has not opened the data channel; check that it allows UDP both ways")

    /// Waits until the connection stands and the channel is open and has room; the error where it doesn't come to that.
    private func ready(_ kind: SessionChannel) async -> CallError? {
        if !paths.isPublisherUsed { try? await negotiate() }
        while !hasEnded {
            guard lifecycle.isConnected, queue.gate == .open else {
                await change()
                continue
            }
            let isOpen = await wait(seconds: timeouts.media) { session -> Bool? in
                if session.hasEnded || !session.lifecycle.isConnected { return false }
                return session.channels[kind].map { session.data.open.contains($0) } == true ? true : nil
            }
            guard let isOpen else { return Self.noChannel }
            guard isOpen, let channel = channels[kind] else { continue }
            guard await channel.bufferedAmount() >= Self.fullChannel else { return nil }
            try? await clock.wait(seconds: 0.02)
        }
        return CallError(.network, .providerLost, "the call ended before the data was sent")
    }

    // MARK: Resume

    /// The server has come back, and has this of ours.
    func dataResumed(lastSequence: UInt32) {
        data.repeats = data.outbox.packets(after: lastSequence)
        if !data.repeats.isEmpty { sendWaiting() }
    }

    /// The call is over: nobody is left waiting.
    func endData() {
        let error = CallError(.network, .providerLost, "the call ended before the data was sent")
        let waiting = data.waiting
        data.waiting = []
        for item in waiting { item.continuation.resume(returning: error) }
        for id in data.calls.removeAll() { settle(id, .failure(.recipientDisconnected)) }
        data.streams.end()
    }

    // MARK: Receiving

    func channelOpened(_ channel: DataChannel) {
        data.open.insert(channel)
        wake()
    }

    func channelClosed(_ channel: DataChannel) { data.open.remove(channel) }

    func received(_ bytes: [UInt8], on channel: DataChannel) {
        guard let kind = SessionChannel(rawValue: channel.label), kind != .dataTrack else { return }
        guard let packet = try? Livekit_DataPacket(wireBytes: bytes) else {
            return logger.notice("unreadable data packet dropped", metadata: ["bytes": "\(bytes.count)"])
        }
        guard kind == .lossy || data.inbox.admit(packet.sequence, from: packet.participantSid) else { return }
        take(packet, isReliable: kind == .reliable)
    }

    private func take(_ packet: Livekit_DataPacket, isReliable: Bool) {
        var identity = packet.participantIdentity
        guard let value = opened(packet, from: identity) else { return }
        switch value {
        case .user(let user):
            if identity.isEmpty { identity = user.participantIdentity }
            let message = DataMessage(bytes: Array(user.payload), topic: user.topic, isReliable: isReliable)
            report.yield(.dataReceived(message, identity: Self.name(identity)))
        case .chatMessage(let chat): report.yield(.chatReceived(ChatLine(chat), identity: Self.name(identity)))
        case .streamHeader(let header): tell(data.streams.take(header, from: identity), identity)
        case .streamChunk(let chunk): data.streams.take(chunk, from: identity)
        case .streamTrailer(let trailer): tell(data.streams.take(trailer, from: identity), identity)
        case .rpcRequest(let request): invoked(request, by: identity)
        case .rpcAck(let ack): data.calls.acknowledge(ack.requestID, by: identity)
        case .rpcResponse(let response): answered(response, by: identity)
        case .speaker, .sipDtmf, .transcription, .encryptedPacket: break
        }
    }

    private func opened(_ packet: Livekit_DataPacket, from identity: String) -> Livekit_DataPacket.OneOf_Value? {
        guard case .encryptedPacket(let sealed) = packet.value else { return packet.value }
        let encrypted = EncryptedData(
            iv: Array(sealed.iv), keyIndex: UInt8(clamping: sealed.keyIndex), value: Array(sealed.encryptedValue))
        guard let plain = joiner.context.media.frameEncryption?.open(data: encrypted, from: identity) else {
            logger.notice("encrypted data dropped: no key opens it", metadata: ["participant": "\(identity)"])
            return nil
        }
        return EncryptedPayload.decode(plain)
    }

    private func tell(_ outcome: StreamAssembler.Outcome, _ identity: String) {
        switch outcome {
        case .none: break
        case .opened(let stream, let text):
            report.yield(.streamOpened(stream, identity: Self.name(identity)))
            if let text { report.yield(.textReceived(text, identity: Self.name(identity))) }
        case .text(let text): report.yield(.textReceived(text, identity: Self.name(identity)))
        }
    }

    private static func name(_ identity: String) -> String? { identity.isEmpty ? nil : identity }
}

extension ChatLine {
    fileprivate init(_ chat: Livekit_ChatMessage) {
        self.init(
            id: chat.id, text: chat.message, sentAtMilliseconds: chat.timestamp,
            editedAtMilliseconds: chat.hasEditTimestamp ? chat.editTimestamp : nil, isDeleted: chat.deleted)
    }
}
