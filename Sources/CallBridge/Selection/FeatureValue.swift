/// The value of a feature that a server's configuration sets: `true`, a number, or a text.
public enum FeatureValue: Sendable, Hashable, Codable {
    /// On or off.
    case flag(Bool)
    /// A number.
    case number(Double)
    /// A text.
    case text(String)

    /// Decodes a JSON boolean, number or string; nothing else.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }

    /// Encodes the bare value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .flag(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        }
    }

    /// Whether it is `true`.
    public var isOn: Bool { self == .flag(true) }
}
