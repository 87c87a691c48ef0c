import RTCCore
import RTCWire

/// The numbering of one consumer's repetitions, and what they are held to.
struct Repetitions {
    var nextSequence: UInt16
    var log = RetransmissionLog()
    var budget = RetransmissionBudget()

    /// `firstSequence`: only the lower 15 bits are taken.
    init(firstSequence: UInt16) { nextSequence = firstSequence & 0x7fff }

    mutating func note(sent bytes: Int, now: Instant) { budget.note(sent: bytes, now: now) }

    /// Gives the latest number out again: its packet has not left.
    mutating func takeBack(_ sequence: UInt16) { if nextSequence == sequence &+ 1 { nextSequence = sequence } }
}
