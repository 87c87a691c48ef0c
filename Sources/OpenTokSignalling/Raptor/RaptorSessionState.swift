/// A session as a newcomer finds it: the answer to `readState`. The newcomer's own connection is in it.
package struct RaptorSessionState: Hashable, Sendable {
    /// More than a session has.
    static let largestCount = 20_000

    package var connections: [RaptorConnection]
    package var streams: [RaptorStream]
    package var archives: [RaptorArchive]
    package var iceServers: [RaptorICEServer]

    package init(
        connections: [RaptorConnection] = [], streams: [RaptorStream] = [], archives: [RaptorArchive] = [],
        iceServers: [RaptorICEServer] = []
    ) {
        self.connections = connections
        self.streams = streams
        self.archives = archives
        self.iceServers = iceServers
    }

    /// Reads the payload of the answer.
    package init(payload: [UInt8]) throws(MessageFault) {
        let json: JSON
        do { json = try JSON(parsing: payload) } catch { throw MessageFault(path: "", problem: error.description) }
        self.init()
        let fields = try JSONFields(json)
        for item in try fields.objects("connection", limit: Self.largestCount) {
            connections.append(try RaptorConnection(item))
        }
        for item in try fields.objects("stream", limit: Self.largestCount) { streams.append(try RaptorStream(item)) }
        for item in try fields.objects("archive", limit: Self.largestCount) { archives.append(try RaptorArchive(item)) }
        for item in try fields.objects("iceServers", limit: 32) { iceServers.append(try RaptorICEServer(item)) }
    }

    package var payload: [UInt8] {
        JSON.object([
            "connection": .array(connections.map(\.json)), "stream": .array(streams.map(\.json)),
            "archive": .array(archives.map(\.json)), "iceServers": .array(iceServers.map(\.json)),
        ]).bytes
    }
}

/// A STUN or TURN server that clients are told to use.
package struct RaptorICEServer: Hashable, Sendable {
    /// `stun:host:port`, `turn:host:port?transport=udp` and the like.
    package var url: String
    /// For TURN.
    package var username: String?
    package var credential: String?

    package init(url: String, username: String? = nil, credential: String? = nil) {
        self.url = url
        self.username = username
        self.credential = credential
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        url = try fields.text("url", limit: 1024)
        username = try fields.optionalText("username", limit: 1024)
        credential = try fields.optionalText("credential", limit: 1024)
    }

    var json: JSON {
        .object([
            "url": .string(url), "username": username.map(JSON.string), "credential": credential.map(JSON.string),
        ])
    }
}
