import RTCWire

/// What has been said twice and differently, and what was done about it.
struct HandshakeContradictions {
    /// Each reading may cost a key exchange and a signature.
    private static let limit = 16
    /// Readings beside the first at one time.
    static let rivalLimit = 4

    private var repeated = RepeatedMessages()
    /// Readings that were begun.
    private(set) var count = 0
    /// Why the latest reading that failed did.
    var failure: DTLSFailure?
    /// What is read now is the other reading.
    var isInRival = false
    /// A message of the datagram in hand was refused: what stands behind it is no peer's either.
    var isRefused = false
    /// A reading was begun for the datagram in hand.
    private var hasBegun = false

    /// Another reading may begin: not out of another one, which would have to go for it, and one for each datagram, so
    /// that none takes the place of all.
    var mayRead: Bool { !isInRival && !hasBegun && count < HandshakeContradictions.limit }

    mutating func beginReading() {
        count += 1
        hasBegun = true
    }

    mutating func beginDatagram() { hasBegun = false }

    /// A fragment of a message that has been read already; gives the message once it is whole.
    mutating func whole(_ header: DTLSHandshakeHeader, _ fragment: UnsafeRawBufferPointer) -> HandshakeMessage? {
        isInRival ? nil : repeated.take(header, fragment)
    }
}
