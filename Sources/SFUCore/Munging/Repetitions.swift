import RTCCore
import RTCWire

/// The numbering of one consumer's repetitions, and what they are held to.
struct Repetitions {
    var nextSequence: UInt16
    var log = RetransmissionLog()
    var budget = RetransmissionBudget()
    /// What was sent up to this one isn't needed any more.
    private var forgotten = Int64.min

    /// `firstSequence`: only the lower 15 bits are taken.
    init(firstSequence: UInt16) { nextSequence = firstSequence & 0x7fff }

    mutating func note(sent bytes: Int, now: Instant) { budget.note(sent: bytes, now: now) }

    mutating func forget(upTo sequence: Int64) { forgotten = max(forgotten, sequence) }
    func isForgotten(_ sequence: Int64) -> Bool { sequence <= forgotten }

    /// Gives the latest number out again: its packet has not left.
    mutating func takeBack(_ sequence: UInt16) { if nextSequence == sequence &+ 1 { nextSequence = sequence } }
}
