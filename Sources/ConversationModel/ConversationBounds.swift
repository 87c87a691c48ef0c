/// What is too long, empty or unfit, in the words of an error.
public struct ConversationFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence that names the field and its bounds.
    public let description: String

    package init(_ description: String) { self.description = description }
}

/// Bounds on what clients can make the service hold. Client and service ask the same questions.
package enum ConversationBounds {
    package static let textBytes = 8_192
    package static let nameBytes = 128
    package static let dataEntries = 32
    package static let dataNameBytes = 64
    package static let dataValueBytes = 1_024

    package static func check(text: String) throws(ConversationFault) {
        guard (1...textBytes).contains(text.utf8.count) else {
            throw ConversationFault("text: \(text.utf8.count) bytes; use 1 to \(textBytes) bytes of UTF-8")
        }
    }

    /// A name that stands in a path: of a client's message or conversation.
    package static func check(clientId: String) throws(ConversationFault) {
        let isFit = clientId.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard (1...64).contains(clientId.utf8.count), isFit else {
            throw ConversationFault("clientId: use 1 to 64 letters of ASCII, digits, - and _")
        }
    }

    package static func check(_ field: String, name: String) throws(ConversationFault) {
        guard (1...nameBytes).contains(name.utf8.count) else {
            throw ConversationFault("\(field): \(name.utf8.count) bytes; use 1 to \(nameBytes) bytes of UTF-8")
        }
    }

    package static func check(data: [String: String]) throws(ConversationFault) {
        guard data.count <= dataEntries else {
            throw ConversationFault("data: \(data.count) entries; use at most \(dataEntries)")
        }
        for (name, value) in data {
            guard (1...dataNameBytes).contains(name.utf8.count), value.utf8.count <= dataValueBytes else {
                throw ConversationFault(
                    "data: a name has 1 to \(dataNameBytes) bytes, a value at most \(dataValueBytes)")
            }
        }
    }

    package static func check(_ request: ConversationRequest) throws(ConversationFault) {
        try check(clientId: request.clientId)
        if let area = request.area { try check("area", name: area) }
        if let data = request.data { try check(data: data) }
    }
}
