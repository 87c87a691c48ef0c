/// Where the data packets of a room stand: the last number of each sender, and what can be repeated. A value.
struct RoomData {
    var cache = DataReplayCache()
    /// By the sender's `PA_` id.
    private var lastSequences: [String: UInt32] = [:]
    /// By recipient and sender: the first packet that found the recipient's channel not open yet.
    private var missed: [String: [String: UInt32]] = [:]

    private var nonces = RecentNonces()

    /// Whether a packet with that nonce has passed lately: whoever isn't sure that a packet got here sends it again with
    /// the nonce that it had. Packets without one are never repeated.
    mutating func isRepeated(nonce: [UInt8]) -> Bool { nonces.isKnown(nonce) }

    /// The number of the last reliable packet that has come from a participant; 0 before the first.
    func lastSequence(of sender: String) -> UInt32 { lastSequences[sender] ?? 0 }

    /// Whether a reliable packet is new; one without a number always is. Repeated ones follow a resume.
    mutating func admit(_ sequence: UInt32, from sender: String) -> Bool {
        guard sequence > 0 else { return true }
        guard sequence > lastSequence(of: sender) else { return false }
        lastSequences[sender] = sequence
        return true
    }

    /// A recipient's channel is not open yet.
    mutating func noteMissed(_ sequence: UInt32, from sender: String, by recipient: String) {
        guard sequence > 0, missed[recipient]?[sender] == nil else { return }
        missed[recipient, default: [:]][sender] = sequence
    }

    /// What a recipient has missed while its channel was not open, by sender.
    mutating func takeMissed(by recipient: String) -> [String: UInt32] { missed.removeValue(forKey: recipient) ?? [:] }

    mutating func remove(_ participant: String) {
        lastSequences[participant] = nil
        missed[participant] = nil
    }
}
