/// Encrypted records that came before their keys: a few datagrams, held until libssl can open them.
///
/// libssl would hold each in a buffer of 17 kB. Beyond the bounds the oldest go: a lost flight is sent again.
struct EarlyRecords {
    /// Datagrams held at once. The last flight of a handshake fits into four.
    static let limit = 4
    /// Bytes held at once.
    static let byteLimit = 6000

    private(set) var datagrams: [[UInt8]] = []
    private var byteCount = 0

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
        defer { self = EarlyRecords() }
        return datagrams
    }
}
