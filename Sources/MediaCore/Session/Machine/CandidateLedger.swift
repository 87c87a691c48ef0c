import RTCCore
import RTCWire

/// Which candidates of ours the other side has been told of. A value.
struct CandidateLedger {
    /// A description with our credentials was made: candidates may be told.
    private(set) var canAnnounce = false
    /// As written.
    private var announced: Set<String> = []

    mutating func begin() { canAnnounce = true }

    /// Another generation of ICE begins: nothing of it has been told.
    mutating func forget() { announced.removeAll() }

    /// Whether the other side has to be told of it; from now on it has been.
    mutating func take(_ candidate: String) -> Bool { announced.insert(candidate).inserted }
}
