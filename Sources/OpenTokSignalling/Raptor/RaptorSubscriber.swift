/// A client's subscription to a stream.
package struct RaptorSubscriber: Hashable, Sendable {
    /// Chosen by the subscriber.
    package var id: String
    /// The subscriber's connection; nil while it is being created.
    package var connection: String?
    package var channels: [Channel]

    /// What is wanted of one channel.
    package struct Channel: Hashable, Sendable {
        package var id: String
        package var preferences: RaptorSubscriberPreferences

        package init(id: String, _ preferences: RaptorSubscriberPreferences) {
            self.id = id
            self.preferences = preferences
        }
    }

    package init(id: String, channels: [Channel] = []) {
        self.id = id
        self.channels = channels
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        id = try fields.identifier("id")
        connection = try fields.optionalText("connection").flatMap { $0.isIdentifier ? $0 : nil }
        channels = []
        for channel in try fields.objects("channel", limit: RaptorStream.largestChannelCount) {
            channels.append(
                Channel(id: try channel.identifier("id"), try RaptorSubscriberPreferences(channel)))
        }
    }

    /// Keys are agreed upon by DTLS, media are bundled, RTCP goes with RTP: there is nothing else.
    var json: JSON {
        .object([
            "id": .string(id), "connection": connection.map(JSON.string), "keyManagementMethod": "DTLS",
            "bundleSupport": true, "rtcpMuxSupport": true,
            "channel": .array(channels.map { $0.preferences.json(with: ["id": .string($0.id)]) }),
        ])
    }
}

/// What a subscriber wants of a channel, or a server gives; nil is not said.
package struct RaptorSubscriberPreferences: Hashable, Sendable {
    package var isActive: Bool?
    /// One frame a second at most.
    package var restrictsFrameRate: Bool?
    package var preferredWidth: Int?
    package var preferredHeight: Int?
    package var preferredFrameRate: Double?

    package init(isActive: Bool? = nil, preferredWidth: Int? = nil, preferredHeight: Int? = nil) {
        self.isActive = isActive
        self.preferredWidth = preferredWidth
        self.preferredHeight = preferredHeight
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        isActive = try fields.optionalFlag("active")
        restrictsFrameRate = try fields.optionalFlag("restrictFrameRate")
        preferredWidth = try fields.optionalInteger("preferredWidth", in: 0...16_384).map { Int($0) }
        preferredHeight = try fields.optionalInteger("preferredHeight", in: 0...16_384).map { Int($0) }
        preferredFrameRate = try fields.optionalNumber("preferredFrameRate", in: 0...1000)
    }

    var json: JSON { json(with: [:]) }

    func json(with others: [String: JSON]) -> JSON {
        let mine = JSON.object([
            "active": isActive.map(JSON.bool), "restrictFrameRate": restrictsFrameRate.map(JSON.bool),
            "preferredWidth": preferredWidth.map { .integer(Int64($0)) },
            "preferredHeight": preferredHeight.map { .integer(Int64($0)) },
            "preferredFrameRate": preferredFrameRate.map(JSON.frameRate),
        ])
        guard case .object(let members) = mine else { return mine }
        return .object(members.merging(others) { $1 })
    }
}
