import RTCCore

/// A track that is published in a room.
package struct PublishedTrack: Sendable, Hashable {
    package let id: String
    package var kind: StreamKind
    package var source: TrackSource
    package var name: String
    package var isMuted: Bool

    package init(id: String, kind: StreamKind, source: TrackSource, name: String, isMuted: Bool) {
        self.id = id
        self.kind = kind
        self.source = source
        self.name = name
        self.isMuted = isMuted
    }
}

/// Somebody in a room.
package struct RoomParticipant: Sendable, Hashable {
    /// How far a participant has come. Only those who are active subscribe.
    package enum State: UInt8, Sendable, Hashable, Comparable {
        case joining, joined, active, disconnected

        package static func < (a: State, b: State) -> Bool { a.rawValue < b.rawValue }
    }

    /// Unique for the stay: somebody who comes again has another one.
    package let id: String
    /// Unique in the room.
    package let identity: String
    package var name: String
    package var metadata: String
    package var attributes: [String: String]
    package var permissions: Permissions
    package var state = State.joining
    package var tracks: [PublishedTrack] = []
    /// Subscribes to whatever is published, unless `choices` says otherwise.
    package var subscribesToAll: Bool
    /// Explicit wishes, by track.
    package var choices: [String: Bool] = [:]
    package var rule = SubscriptionRule()
    /// Grows with each change that others are told of.
    package internal(set) var version: UInt32 = 0

    package init(
        id: String, identity: String, name: String = "", metadata: String = "", attributes: [String: String] = [:],
        permissions: Permissions = Permissions(), subscribesToAll: Bool = true
    ) {
        self.id = id
        self.identity = identity
        self.name = name
        self.metadata = metadata
        self.attributes = attributes
        self.permissions = permissions
        self.subscribesToAll = subscribesToAll
    }

    package var isPublisher: Bool { !tracks.isEmpty }
}
