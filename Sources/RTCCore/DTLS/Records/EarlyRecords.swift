/// Encrypted records that came before their keys, and data and alerts that came before the Finished: a few, held for a moment.
///
/// Beyond the bounds the oldest go: a lost flight is sent again.
struct EarlyRecords {
    /// Datagrams, or records of them, held at once. The last flight of a handshake fits into four.
    static let limit = 4
    /// Bytes held at once.
    static let byteLimit = 6000

    private(set) var datagrams: [[UInt8]] = []
    private var byteCount = 0
    /// What could be done with them when they were last looked at.
    private var lastLook: (hasKeys: Bool, isFinished: Bool) = (false, false)

    var isEmpty: Bool { datagrams.isEmpty }

    /// Whether more can be done now than at the last look.
    mutating func isDue(hasKeys: Bool, isFinished: Bool) -> Bool {
        defer { lastLook = (hasKeys, isFinished) }
        return (hasKeys, isFinished) != lastLook
    }

    /// Holds a copy. Gives how many datagrams were dropped for it, itself where it is too large.
    mutating func hold(_ sealed: UnsafeRawBufferPointer) -> Int {
        guard sealed.count <= EarlyRecords.byteLimit else { return 1 }
        var dropped = 0
        while datagrams.count >= EarlyRecords.limit || byteCount + sealed.count > EarlyRecords.byteLimit {
            byteCount -= datagrams.removeFirst().count
            dropped += 1
        }
        datagrams.append(Array(sealed))
        byteCount += sealed.count
        return dropped
    }

    /// Gives all that is held, in the order of arrival, and holds nothing any more.
    mutating func takeAll() -> [[UInt8]] {
        defer {
            datagrams = []
            byteCount = 0
        }
        return datagrams
    }
}
