/// What a client must know of a session before it connects: the answer to `GET /session/ID?extended=true`.
package struct SessionInfo: Hashable, Sendable {
    package var session: OpenTokSessionID
    package var project: String
    /// Where the message transport is: `ws://` or `wss://`.
    package var messagingURL: String
    /// The address that all requests are sent to.
    package var serverAddress: String
    /// nil leaves it to the application.
    package var hasSimulcast: Bool?
    package var hasReconnection: Bool
    package var hasRenegotiation: Bool

    package init(session: OpenTokSessionID, project: String, messagingURL: String, serverAddress: String) {
        self.session = session
        self.project = project
        self.messagingURL = messagingURL
        self.serverAddress = serverAddress
        hasReconnection = true
        hasRenegotiation = true
    }

    /// The body of the answer: an array of one object.
    package var response: RESTResponse {
        let properties = JSON.object([
            "p2p": ["preference": ["value": .string(session.mediaMode.peerToPeerPreference)]],
            "simulcast": hasSimulcast.map(JSON.bool), "reconnection": .bool(hasReconnection),
            "renegotiation": .bool(hasRenegotiation),
        ])
        let host = messagingURL.split(separator: "/").dropFirst().first.map(String.init) ?? ""
        return .json(
            200,
            .array([
                .object([
                    "session_id": .string(session.text), "partner_id": .string(project), "session_status": "VALID",
                    "messaging_server_url": .string(host), "messaging_url": .string(messagingURL),
                    "symphony_address": .string(serverAddress), "properties": properties,
                ])
            ]))
    }

    /// Reads the answer of a server.
    package init(status: Int, body: [UInt8]) throws(SessionInfoFault) {
        guard let json = try? JSON(parsing: body), case .array(let items) = json, let first = items.first else {
            guard (200..<300).contains(status) else { throw .refused(ClientErrorCode(sessionInfoStatus: status), "") }
            throw .unexpected(MessageFault(path: "", problem: "no array of one object"))
        }
        if let error = first["error"] {
            var message = ""
            if case .string(let text)? = error["errorMessage"]?["message"] { message = text }
            throw .refused(ClientErrorCode(sessionInfoStatus: Int(error["code"]?.whole ?? 0)), message)
        }
        do { try self.init(try JSONFields(first)) } catch { throw .unexpected(error) }
    }

    private init(_ fields: JSONFields) throws(MessageFault) {
        session = try OpenTokSessionID(try fields.text("session_id"), "session_id")
        // Some servers write it as a number.
        if let number = fields["partner_id"]?.whole {
            project = String(number)
        } else {
            project = try fields.identifier("partner_id")
        }
        messagingURL = try fields.text("messaging_url", limit: 1024)
        serverAddress = try fields.text("symphony_address", limit: RumorFrame.longestName)
        let properties = try fields.optionalObject("properties")
        hasSimulcast = try properties?.optionalFlag("simulcast")
        hasReconnection = try properties?.optionalFlag("reconnection") ?? false
        hasRenegotiation = try properties?.optionalFlag("renegotiation") ?? false
    }
}
