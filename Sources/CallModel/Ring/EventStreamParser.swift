/// Splits a byte stream into the data of its events (server-sent events: HTML standard, section 9.2).
///
///     event: offer        other fields are passed over
///     data: {"type":      one line or several, joined by LF
///     data: "offer"}
///                         an empty line ends the event
///
/// Lines end with LF or CRLF; comments and other fields are passed over.
package struct EventStreamParser: Sendable {
    /// Bytes of a line or of an event's data; more is dropped.
    package static let longest = 256 * 1024

    private var line: [UInt8] = []
    private var data: [UInt8] = []

    package init() {}

    /// The data of the events that are complete with these bytes.
    package mutating func receive(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var events: [[UInt8]] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                if line.count < Self.longest { line.append(byte) }
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if let event = endLine() { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    private mutating func endLine() -> [UInt8]? {
        if line.isEmpty {
            defer { data = [] }
            return data.isEmpty ? nil : data
        }
        let field = Array("data:".utf8)
        guard line.starts(with: field) else { return nil }
        var value = line[field.count...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        if !data.isEmpty { data.append(UInt8(ascii: "\n")) }
        if data.count + value.count <= Self.longest { data += value }
        return nil
    }
}
