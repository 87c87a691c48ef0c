/// What a token makes of its holder, in the words of the wire.
package enum OpenTokRole: String, Hashable, Sendable, CaseIterable {
    case subscriber
    case publisher
    case publisherOnly = "publisheronly"
    case moderator

    /// - Parameter subscribersMaySignal: the documents say that a subscriber only subscribes; there are clients that let
    ///   one signal all the same.
    package func permissions(subscribersMaySignal: Bool = false) -> OpenTokPermissions {
        switch self {
        case .subscriber: subscribersMaySignal ? [.subscribe, .signal] : .subscribe
        case .publisher: [.subscribe, .publish, .signal]
        case .publisherOnly: .publish
        case .moderator: [.subscribe, .publish, .signal, .forceMute, .forceUnpublish, .forceDisconnect]
        }
    }
}

/// What a connection may do.
package struct OpenTokPermissions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let subscribe = OpenTokPermissions(rawValue: 1)
    package static let publish = OpenTokPermissions(rawValue: 2)
    package static let signal = OpenTokPermissions(rawValue: 4)
    package static let forceMute = OpenTokPermissions(rawValue: 8)
    package static let forceUnpublish = OpenTokPermissions(rawValue: 16)
    package static let forceDisconnect = OpenTokPermissions(rawValue: 32)

    private static let words: KeyValuePairs<String, OpenTokPermissions> = [
        "publish": .publish, "subscribe": .subscribe, "signal": .signal, "forcemute": .forceMute,
        "forceunpublish": .forceUnpublish, "forcedisconnect": .forceDisconnect,
    ]

    /// The words of a connection's `permissions`.
    package var wireNames: [String] { Self.words.filter { contains($0.value) }.map(\.key) }

    /// Words of others, such as `supervisor`, are ignored.
    package init(wireNames: [String]) {
        self = Self.words.reduce(into: []) { if wireNames.contains($1.key) { $0.insert($1.value) } }
    }
}
