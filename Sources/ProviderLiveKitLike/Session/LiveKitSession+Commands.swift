import CallBridge
import CallModel
import Foundation
import LiveKitProtocol
import MediaCore

/// What the bridge asks for, in the machine's words.
extension LiveKitSession {
    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track {
        guard case .published(let track) = try await ask(.publish(track, source)) else {
            throw CallError(.provider, .protocolViolation, "the track was not published")
        }
        return track
    }

    func unpublish(trackID: String) async throws { try await ask(.unpublish(trackID: trackID)) }
    func setMuted(_ muted: Bool, trackID: String) async throws { try await ask(.setMuted(muted, trackID: trackID)) }

    func setSubscribed(_ subscribed: Bool, trackID: String) async throws {
        try await ask(.setSubscribed(subscribed, trackID: trackID))
    }

    func setTrackSettings(_ settings: TrackSettings, trackID: String) async throws {
        try await ask(.setTrackSettings(settings, trackID: trackID))
    }

    func setVideoLayout(_ layout: VideoLayout, trackID: String) async throws {
        try await ask(.setVideoLayout(layout, trackID: trackID))
    }

    func setSubscriptionPermissions(_ permissions: SubscriptionPermissions) async throws {
        try await ask(.setSubscriptionPermissions(permissions))
    }

    func setMetadata(_ metadata: String) async throws { try await ask(.changeProfile(.metadata(metadata))) }
    func setName(_ name: String) async throws { try await ask(.changeProfile(.name(name))) }

    func setAttributes(_ attributes: [String: String]) async throws {
        try await ask(.changeProfile(.attributes(attributes)))
    }

    // MARK: Data

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
    func send(_ packet: Livekit_DataPacket) async throws { try await ask(.sendData(packet)) }

    func performRPC(to identity: String, method: String, payload: String, timeout: Double) async throws -> String {
        let call = RemoteCall(
            id: UUID().uuidString.lowercased(), to: identity, method: method, payload: payload, timeout: timeout)
        guard case .answered(let answer) = try await ask(.callRemote(call)) else { throw RPCError.applicationError }
        return answer
    }

    func answerRPC(_ invocation: RPCInvocation, _ result: Result<String, RPCError>) async throws {
        try await send(.answer(invocation.id, to: invocation.callerIdentity, result))
    }

    func openStream(_ info: DataStreamInfo, to identities: [String]) async throws -> OutgoingDataStream {
        var info = info
        if info.id.isEmpty { info.id = UUID().uuidString.lowercased() }
        let header = info.header(now: joiner.wallClock().rawValue)
        try await send(
            .with {
                $0.destinationIdentities = identities
                $0.streamHeader = header
            })
        let writer = StreamWriter(id: info.id, identities: identities) { [self] in try await send($0) }
        return OutgoingDataStream(info, write: { try await writer.write($0) }, close: { try await writer.close($0) })
    }
}
