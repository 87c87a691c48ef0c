/// What a client asks for with the URL of its socket: `socketId=ID`, and behind a loss `reconnect=true&attempt=ID`.
package struct RumorSocketRequest: Hashable, Sendable {
    /// The client's connection id: the same for all sockets of one connection.
    package var socketID: String
    /// Which attempt to come back this is; nil for the first socket.
    package var attempt: String?

    package init(socketID: String, attempt: String? = nil) {
        self.socketID = socketID
        self.attempt = attempt
    }

    /// Reads the query of a URL; nil where it names no socket.
    package init?(query: String) {
        guard query.utf8.count <= 2048, let pairs = PercentEncoding.decodeForm(query, limit: 16) else { return nil }
        let fields = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
        guard let socketID = fields["socketId"], socketID.isIdentifier else { return nil }
        self.socketID = socketID
        guard fields["reconnect"] == "true" else { return }
        attempt = fields["attempt"] ?? ""
    }

    package var query: String {
        var pairs = [("socketId", socketID)]
        if let attempt { pairs += [("reconnect", "true"), ("attempt", attempt)] }
        return PercentEncoding.encodeForm(pairs)
    }
}
