/// Somebody in a room.
package struct RoomParticipant: Sendable, Hashable {
    /// How far a participant has come. Only those who are active count as having been there.
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
    /// Milliseconds since 1970.
    package var joinedAt: Int64
    package internal(set) var state = State.joining
    /// In the order in which they were published.
    package internal(set) var tracks: [PublishedTrack] = []
    /// Subscribes to whatever is published, unless `choices` says otherwise.
    package var subscribesToAll: Bool
    /// May get its own tracks, where it has chosen them.
    package var mayGetOwn = false
    /// Explicit wishes, by track.
    package internal(set) var choices: [String: Bool] = [:]
    package internal(set) var rule = SubscriptionRule()
    /// Grows with each change that others are told of.
    package internal(set) var version: UInt32 = 0

    package init(
        id: String, identity: String, name: String = "", metadata: String = "", attributes: [String: String] = [:],
        permissions: Permissions = Permissions(), joinedAt: Int64 = 0, subscribesToAll: Bool = true
    ) {
        self.id = id
        self.identity = identity
        self.name = name
        self.metadata = metadata
        self.attributes = attributes
        self.permissions = permissions
        self.joinedAt = joinedAt
        self.subscribesToAll = subscribesToAll
    }

    package var isPublisher: Bool { !tracks.isEmpty }

    package func track(_ id: String) -> PublishedTrack? { tracks.first { $0.id == id } }
}

/// What is to be different about a participant; nil leaves things as they are.
package struct ParticipantChange: Sendable, Hashable {
    /// Who wants it.
    package enum Origin: Sendable, Hashable {
        case participant, administrator
    }

    package var name: String?
    package var metadata: String?
    /// Merged into those that are there; an empty value removes one.
    package var attributes: [String: String]
    package var permissions: Permissions?

    package init(
        name: String? = nil, metadata: String? = nil, attributes: [String: String] = [:],
        permissions: Permissions? = nil
    ) {
        self.name = name
        self.metadata = metadata
        self.attributes = attributes
        self.permissions = permissions
    }
}

extension RoomParticipant {
    /// This participant with a change made; its version is as it was.
    package func applying(_ change: ParticipantChange) -> RoomParticipant {
        var result = self
        if let name = change.name { result.name = name }
        if let metadata = change.metadata { result.metadata = metadata }
        for (key, value) in change.attributes { result.attributes[key] = value.isEmpty ? nil : value }
        if let permissions = change.permissions { result.permissions = permissions }
        return result
    }
}
