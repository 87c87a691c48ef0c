/// Force mute of a whole session: while it is active, streams that are published later are muted, too.
package struct ForceMute: Hashable, Sendable {
    package var isActive: Bool
    /// Ids of streams that are left alone.
    package var excludedStreams: [String]

    package init(isActive: Bool, excludedStreams: [String] = []) {
        self.isActive = isActive
        self.excludedStreams = excludedStreams
    }

    static let largestExclusion = 1000

    /// The documents say `excludedStreamIds`, an SDK sends `excludedStreams`.
    init(_ fields: JSONFields) throws(MessageFault) {
        isActive = try fields.flag("active")
        let documented = try fields.texts("excludedStreamIds", limit: Self.largestExclusion)
        let sent = try fields.texts("excludedStreams", limit: Self.largestExclusion)
        excludedStreams = documented + sent.filter { !documented.contains($0) }
    }

    var json: JSON {
        .object([
            "active": .bool(isActive),
            "excludedStreamIds": excludedStreams.isEmpty ? nil : .strings(excludedStreams),
        ])
    }
}
