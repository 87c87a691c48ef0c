/// A JSON document (RFC 8259), read and written without another library, so that depth and size are bounded here.
package enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits.
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])
}

// Not by `nil`: in `condition ? nil : value` it would be null where no member is meant.
extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

extension JSON {
    /// An object of those members that have a value.
    static func object(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        var result: [String: JSON] = [:]
        for (name, value) in members { result[name] = value }
        return .object(result)
    }

    static func strings(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }

    /// A whole number; also one that its writer gave a fraction of zeros.
    var whole: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// A member of an object; nil for all else.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }
}
