/// What a signal says. Both parts may be missing.
package struct SignalContent: Hashable, Sendable {
    package static let longestType = 128
    package static let longestData = 8192

    package var type: String?
    package var data: String?

    package init(type: String? = nil, data: String? = nil) {
        self.type = type
        self.data = data
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        type = try fields.optionalText("type", limit: Self.longestType)
        data = try fields.optionalText("data", limit: Self.longestData)
        guard type?.utf8.allSatisfy(Self.isTypeByte) ?? true else {
            throw fields.fault("type", "use letters, digits, - , _ and ~")
        }
    }

    /// Nil where a signal may not say so: the type is too long or has other bytes than letters, digits, `-`, `_`, `~`; the
    /// data are too long, or no text.
    package init?(topic: String, payload: [UInt8]) {
        guard topic.utf8.count <= Self.longestType, topic.utf8.allSatisfy(Self.isTypeByte),
            payload.count <= Self.longestData, let text = String(validating: payload, as: UTF8.self)
        else { return nil }
        self.init(type: topic.isEmpty ? nil : topic, data: text)
    }

    private static func isTypeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    var json: JSON { .object(["type": type.map(JSON.string), "data": data.map(JSON.string)]) }
}
