/// What a token allows in rooms: the `video` claim of a LiveKit access token.
///
/// Absent values mean: `canPublish` and `canSubscribe` true, `canPublishData` as `canPublish`, everything else false.
package struct VideoGrant: Codable, Hashable, Sendable {
    package var room: String?
    package var roomJoin: Bool?
    package var roomCreate: Bool?
    package var roomList: Bool?
    package var roomRecord: Bool?
    package var roomAdmin: Bool?
    package var canPublish: Bool?
    package var canSubscribe: Bool?
    package var canPublishData: Bool?
    /// `camera`, `microphone`, `screen_share`, `screen_share_audio`; when not empty it narrows `canPublish`.
    package var canPublishSources: [String]?
    package var canUpdateOwnMetadata: Bool?
    package var ingressAdmin: Bool?
    package var hidden: Bool?
    package var recorder: Bool?
    package var agent: Bool?
    package var canSubscribeMetrics: Bool?
    package var canManageAgentSession: Bool?
    package var destinationRoom: String?

    package init(room: String? = nil, roomJoin: Bool? = nil) {
        self.room = room
        self.roomJoin = roomJoin
    }

    /// Leave to take part in `room`: join, publish, subscribe and send data.
    package static func join(room: String) -> VideoGrant {
        var grant = VideoGrant(room: room, roomJoin: true)
        grant.canPublish = true
        grant.canSubscribe = true
        grant.canPublishData = true
        return grant
    }

    package var mayPublish: Bool { canPublish ?? true }
    package var maySubscribe: Bool { canSubscribe ?? true }
    package var mayPublishData: Bool { canPublishData ?? mayPublish }
}
