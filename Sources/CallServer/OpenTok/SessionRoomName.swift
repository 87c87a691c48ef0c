import OpenTokSignalling

/// A room whose name is a session id: the session's. Clients of another dialect come into it by the same name, with the
/// credentials of its project.
struct SessionRoomName {
    /// Why somebody of another dialect can't come in.
    enum Refusal {
        /// The API key is another project's.
        case foreign
        /// Its media goes past the server.
        case relayed
    }

    let id: OpenTokSessionID

    /// Nil for the name of another room.
    init?(_ name: String) {
        guard name.hasPrefix("1_") || name.hasPrefix("2_"), let id = try? OpenTokSessionID(parsing: name) else {
            return nil
        }
        self.id = id
    }

    /// Whether a holder of an API key can't come in by another dialect.
    ///
    /// - Parameter keys: of the server; an id that names none of them is no session of ours.
    func refusal(key: String, of keys: some Sequence<String>) -> Refusal? {
        guard !id.belongs(to: key) else { return id.mediaMode == .routed ? nil : .relayed }
        return keys.contains { id.belongs(to: $0) } ? .foreign : nil
    }
}
