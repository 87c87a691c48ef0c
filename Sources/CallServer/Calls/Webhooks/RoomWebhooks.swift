import LiveKitProtocol
import NIOCore

/// Tells LiveKit's webhook receivers what happens in rooms.
struct RoomWebhooks: RoomObserver {
    let queues: [WebhookQueue]

    /// Nil where nobody is to be told. Throws `WebhookURLError`.
    ///
    /// - Parameter eventLoop: gives each queue's loop.
    init?(_ configuration: CallServerConfiguration, eventLoop: () -> any EventLoop) throws(WebhookURLError) {
        guard !configuration.webhooks.rooms.isEmpty, let key = configuration.webhookKey,
            let secret = configuration.keys[key]
        else { return nil }
        var queues: [WebhookQueue] = []
        for text in configuration.webhooks.rooms {
            let target = WebhookTarget(
                url: try WebhookURL(text), trust: configuration.webhooks.trust, contentType: "application/webhook+json",
                authorization: { Self.token(for: $0, key: key, secret: secret) })
            queues.append(
                WebhookQueue(
                    target, on: eventLoop(), policy: configuration.webhooks.policy, logger: configuration.logger)
            )
        }
        self.queues = queues
    }

    func room(_ room: Livekit_Room, did event: RoomObservation) {
        let message = Livekit_WebhookEvent(room, event)
        let body = Array(message.wireJSON.utf8)
        for queue in queues { queue.enqueue(key: room.name, id: message.id, body: body) }
    }

    /// A token without the word "Bearer" that vouches for the body, for five minutes.
    static func token(for body: [UInt8], key: String, secret: String) -> String {
        let now = WallClock.milliseconds / 1000
        var claims = TokenClaims(issuer: key, notBefore: now, expires: now + 300)
        claims.issuedAt = Double(now)
        claims.sha256 = BodyHash.sha256(body)
        return AccessToken.mint(claims, secret: secret)
    }
}

extension Livekit_WebhookEvent {
    init(_ room: Livekit_Room, _ event: RoomObservation) {
        self.init()
        id = SessionID.event()
        createdAt = WallClock.milliseconds / 1000
        self.room = room
        switch event {
        case .started: self.event = "room_started"
        case .finished(let reason):
            self.event = "room_finished"
            roomEndReason = reason
        case .participantJoined(let info): about("participant_joined", info)
        case .participantLeft(let info): about("participant_left", info)
        case .participantAborted(let info): about("participant_connection_aborted", info)
        case .trackPublished(let track, let info): about("track_published", track, info)
        case .trackUnpublished(let track, let info): about("track_unpublished", track, info)
        }
    }

    private mutating func about(_ name: String, _ info: Livekit_ParticipantInfo) {
        event = name
        participant = info
    }

    /// Events of tracks name the room and the participant, and no more of them.
    private mutating func about(_ name: String, _ track: Livekit_TrackInfo, _ info: Livekit_ParticipantInfo) {
        event = name
        self.track = track
        let whole = room
        room = .with {
            $0.sid = whole.sid
            $0.name = whole.name
        }
        participant = .with {
            $0.sid = info.sid
            $0.identity = info.identity
        }
    }
}
