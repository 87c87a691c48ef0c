/// A stream that a client publishes: its name and channels.
package struct RaptorStream: Hashable, Sendable {
    static let largestChannelCount = 8
    /// Bytes of a name.
    static let longestName = 1024

    /// Chosen by the publisher.
    package var id: String
    /// The publisher's connection; nil while it is being published.
    package var connection: String?
    /// Milliseconds since 1970; nil while it is being published.
    package var creationTime: Int64?
    package var name: String
    /// Subscribers may lose its video while their links are bad.
    package var hasAudioFallback: Bool
    package var channels: [RaptorChannel]
    /// Bits per second.
    package var minBitrate: Int?
    package var maxBitrate: Int?

    package init(id: String, name: String = "", hasAudioFallback: Bool = true, channels: [RaptorChannel]) {
        self.id = id
        self.name = name
        self.hasAudioFallback = hasAudioFallback
        self.channels = channels
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        id = try fields.identifier("id")
        connection = try fields.optionalObject("connection")?.identifier("id")
        creationTime = try fields.optionalInteger("creationTime", in: 0...1 << 52)
        name = try fields.optionalText("name", limit: Self.longestName) ?? ""
        hasAudioFallback = try fields.optionalFlag("audioFallbackEnabled") ?? true
        minBitrate = try fields.optionalInteger("minBitrate", in: 0...1_000_000_000).map { Int($0) }
        maxBitrate = try fields.optionalInteger("maxBitrate", in: 0...1_000_000_000).map { Int($0) }
        channels = []
        for channel in try fields.objects("channel", limit: Self.largestChannelCount) {
            channels.append(try RaptorChannel(channel))
        }
        guard Set(channels.map(\.id)).count == channels.count else {
            throw fields.fault("channel", "two have the same id; give each its own")
        }
    }

    var json: JSON {
        .object([
            "id": .string(id), "connection": connection.map { ["id": .string($0)] },
            "creationTime": creationTime.map(JSON.integer), "name": .string(name),
            "audioFallbackEnabled": .bool(hasAudioFallback), "channel": .array(channels.map(\.json)),
            "minBitrate": minBitrate.map { .integer(Int64($0)) }, "maxBitrate": maxBitrate.map { .integer(Int64($0)) },
        ])
    }
}

/// One medium of a stream.
package struct RaptorChannel: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case audio, video
    }

    /// `audio1`, `video1` and the like.
    package var id: String
    package var kind: Kind
    package var properties: RaptorChannelProperties

    package init(id: String, kind: Kind, _ properties: RaptorChannelProperties = RaptorChannelProperties()) {
        self.id = id
        self.kind = kind
        self.properties = properties
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        id = try fields.identifier("id")
        kind = try fields.word("type")
        properties = try RaptorChannelProperties(fields)
    }

    var json: JSON { properties.json(with: ["id": .string(id), "type": .string(kind.rawValue)]) }
}

/// What is known of a channel, or has changed; nil is not said.
package struct RaptorChannelProperties: Hashable, Sendable {
    package enum Fit: String, Hashable, Sendable, CaseIterable {
        case cover, contain
    }

    package var isActive: Bool?
    /// Pixels.
    package var width: Int?
    package var height: Int?
    /// Degrees, as the sender's device is turned.
    package var orientation: Int?
    /// Frames a second.
    package var frameRate: Double?
    package var source: OpenTokVideoType?
    package var fit: Fit?
    /// The video is about to be disabled, for the link is bad.
    package var hasDisableWarning: Bool?

    package init(isActive: Bool? = nil, width: Int? = nil, height: Int? = nil) {
        self.isActive = isActive
        self.width = width
        self.height = height
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        isActive = try fields.optionalFlag("active")
        width = try fields.optionalInteger("width", in: 0...16_384).map { Int($0) }
        height = try fields.optionalInteger("height", in: 0...16_384).map { Int($0) }
        orientation = try fields.optionalInteger("orientation", in: -360...360).map { Int($0) }
        frameRate = try fields.optionalNumber("frameRate", in: 0...1000)
        source = try fields.optionalWord("source")
        fit = try fields.optionalWord("fitMode")
        hasDisableWarning = try fields.optionalFlag("disableWarning")
    }

    var json: JSON { json(with: [:]) }

    func json(with others: [String: JSON]) -> JSON {
        let mine = JSON.object([
            "active": isActive.map(JSON.bool), "width": width.map { .integer(Int64($0)) },
            "height": height.map { .integer(Int64($0)) }, "orientation": orientation.map { .integer(Int64($0)) },
            "frameRate": frameRate.map(JSON.frameRate), "source": source.map { .string($0.rawValue) },
            "fitMode": fit.map { .string($0.rawValue) }, "disableWarning": hasDisableWarning.map(JSON.bool),
        ])
        guard case .object(let members) = mine else { return mine }
        return .object(members.merging(others) { $1 })
    }
}

extension JSON {
    /// A whole rate without a fraction.
    static func frameRate(_ rate: Double) -> JSON { Int64(exactly: rate).map(JSON.integer) ?? .number(rate) }
}
