import MediaCore

/// Lets a candidate pass when the description whose credentials it names has been sent, and keeps it until then.
///
/// Servers drop a candidate that comes before its description, also where they know an older one: after an ICE restart
/// they would then find us only by a check that we repeat, while media waits. A value.
struct CandidateGate {
    /// More than a machine has addresses and servers.
    static let capacity = 64

    private var ufrags: [MediaPaths.Side: String] = [:]
    private var waiting: [MediaPaths.Side: [SessionCandidate]] = [:]

    /// Whether the candidate is to be sent now; otherwise it waits for its description.
    mutating func admits(_ candidate: SessionCandidate, _ side: MediaPaths.Side) -> Bool {
        guard let ufrag = candidate.usernameFragment, ufrag != ufrags[side] else { return true }
        if waiting[side, default: []].count < Self.capacity { waiting[side, default: []].append(candidate) }
        return false
    }

    /// A description of ours was sent: gives the candidates that have waited for it. Those of others mean nothing more.
    mutating func described(_ side: MediaPaths.Side, sdp: String) -> [SessionCandidate] {
        let ufrag = Self.ufrag(of: sdp)
        ufrags[side] = ufrag
        return (waiting.removeValue(forKey: side) ?? []).filter { $0.usernameFragment == ufrag }
    }

    /// The first `a=ice-ufrag` (RFC 8839 section 5.4): one connection has the same one everywhere.
    private static func ufrag(of sdp: String) -> String? {
        let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") }
        let line = sdp.utf8.split(whereSeparator: isEnd).first { $0.starts(with: "a=ice-ufrag:".utf8) }
        return line.flatMap { String($0.dropFirst(12)) }
    }
}
