/// A datagram of DTLS as tests take it apart.
enum DTLSDatagram {
    private static let headerLength = 13

    /// The records of a datagram, each by itself; the last one is cut off where the datagram is.
    static func records(_ datagram: [UInt8]) -> [[UInt8]] {
        var records: [[UInt8]] = []
        var rest = datagram[...]
        while rest.count >= headerLength {
            let header = Array(rest.prefix(headerLength))
            let length = headerLength + (Int(header[11]) << 8 | Int(header[12]))
            records.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return records
    }
}
