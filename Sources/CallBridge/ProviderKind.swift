/// Names a media provider, in the words that server configurations use.
public struct ProviderKind: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name in upper case, for example `LIVEKIT`.
    public var rawValue: String

    /// Names are compared in upper case, so `livekit` and `LIVEKIT` are one.
    public init(rawValue: String) { self.rawValue = rawValue.uppercased() }

    /// A server that speaks LiveKit's protocol.
    public static let liveKit = ProviderKind(rawValue: "LIVEKIT")
    /// A server that speaks an OpenTok-style session protocol.
    public static let openTok = ProviderKind(rawValue: "OPENTOK")

    /// The name.
    public var description: String { rawValue }
}
