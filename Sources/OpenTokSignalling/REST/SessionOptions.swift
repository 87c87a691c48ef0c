/// What a new session is to be like.
package struct SessionOptions: Hashable, Sendable {
    package var mediaMode = MediaMode.routed
    package var archiveMode = ArchiveMode.manual
    package var archiveName: String?
    package var archiveResolution: ArchiveResolution?
    /// Where the session is wanted: an IPv4 address; empty for anywhere.
    package var location = ""
    package var isEndToEndEncrypted = false

    package init() {}

    private static let largestFieldCount = 64

    /// Reads the form that session creation is asked with; unknown fields are ignored.
    init(form text: String) throws(RESTFault) {
        guard let pairs = PercentEncoding.decodeForm(text, limit: Self.largestFieldCount) else {
            throw .invalid(
                "the body is no form of at most \(Self.largestFieldCount) fields; send name=value&name=value")
        }
        let fields = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
        mediaMode = try Self.word("p2p.preference", of: fields) ?? .routed
        archiveMode = try Self.word("archiveMode", of: fields) ?? .manual
        archiveResolution = try Self.word("archiveResolution", of: fields)
        archiveName = fields["archiveName"].flatMap { $0.isEmpty ? nil : $0 }
        location = fields["location"] ?? ""
        isEndToEndEncrypted = fields["e2ee"]?.lowercased() == "true"
        try check()
    }

    private func check() throws(RESTFault) {
        guard location.isEmpty || Self.isIPv4(location) else {
            throw .invalid("location: no IPv4 address; send four numbers from 0 to 255 with dots between them")
        }
        guard (archiveName?.utf8.count ?? 0) <= ArchiveOptions.longestName else {
            throw .invalid("archiveName: send at most \(ArchiveOptions.longestName) bytes")
        }
        guard archiveMode == .always else { return }
        guard mediaMode == .routed else {
            throw .invalid("archiveMode: only routed sessions are archived; send p2p.preference=disabled")
        }
        guard !isEndToEndEncrypted else {
            throw .invalid("archiveMode: encrypted sessions can't be archived; send e2ee=false")
        }
    }

    /// Absent and empty are the same.
    private static func word<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, of fields: [String: String]
    ) throws(RESTFault) -> Value? {
        guard let text = fields[name], !text.isEmpty else { return nil }
        guard let value = Value(rawValue: text.lowercased()) else {
            let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("\(name): none of its words; send one of \(words)")
        }
        return value
    }

    private static func isIPv4(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { (1...3).contains($0.utf8.count) && UInt8($0) != nil && $0.first != "+" }
    }
}
