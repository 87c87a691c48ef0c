import LiveKitProtocol

/// A description that is kept for a session's resumption, in some hundred bytes once nothing is likely to ask for it soon:
/// as a text it is the largest thing that a participant holds.
enum KeptDescription: Sendable, Hashable {
    case whole(Livekit_SessionDescription)
    /// The message, as gzip has it.
    case folded([UInt8])

    /// No server sends a longer one: a message of the signalling connection is no longer.
    private static let longest = 1 << 20

    /// Less is not worth it.
    private static let shortest = 256

    /// Takes less memory from now on.
    mutating func fold() {
        guard case .whole(let description) = self, description.sdp.utf8.count >= Self.shortest,
            let bytes: [UInt8] = try? description.serializedBytes(), let folded = Gzip.compress(bytes),
            folded.count < bytes.count
        else { return }
        self = .folded(folded)
    }

    /// Nil where there was no memory to unfold it.
    var message: Livekit_SessionDescription? {
        switch self {
        case .whole(let description): return description
        case .folded(let bytes):
            guard let whole = try? Gzip.decompress(bytes, limit: Self.longest) else { return nil }
            return try? Livekit_SessionDescription(serializedBytes: whole)
        }
    }
}
