/// Bytes of what a newcomer is told of a room, and what each participant adds to them. A value.
///
/// Everything that a client may say of itself is bounded, and so is the sum: a join response that is longer than what
/// clients take would lock all newcomers out.
struct RoomDescription {
    private let limit: Int
    private var parts: [String: Int] = [:]
    private(set) var bytes = 0

    init(limit: Int) { self.limit = limit }

    /// Takes over what a participant, or the room itself, is described by; false, and nothing taken over, where that would
    /// be more than before and more than all may be.
    ///
    /// - Parameter other: is to be removed for it.
    mutating func describe(_ id: String, _ size: Int, replacing other: String? = nil) -> Bool {
        let before = parts[id] ?? 0
        let free = before + (other.flatMap { parts[$0] } ?? 0)
        guard size <= free || bytes - free + size <= limit else { return false }
        parts[id] = size
        bytes += size - before
        return true
    }

    mutating func remove(_ id: String) { bytes -= parts.removeValue(forKey: id) ?? 0 }
}

/// Somebody who wants to come in, as far as the bounds are concerned.
struct RoomNewcomer: Sendable {
    var identity: String
    /// Of a connection that only publishes: whose it is.
    var mainIdentity: String?
    /// Bytes that others would be told.
    var description: Int
}
