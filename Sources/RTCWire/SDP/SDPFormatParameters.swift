/// What stands after the payload type of an `a=fmtp` line: `name=value;name=value`, or a codec's own form such as
/// `111/111` of RED or `0-16` of telephone events, kept as a name without a value.
package struct SDPFormatParameters: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package var name: String
        package var value: String?
    }

    /// Entries kept; a codec has a dozen at most, and look-ups walk them all.
    package static let limit = 64

    /// In the order of the line.
    package var entries: [Entry] = []

    package init() {}

    package init(parsing text: String) {
        for part in text.fields(separator: UInt8(ascii: ";")).prefix(SDPFormatParameters.limit) {
            let (name, value) = part.trimmed.cut(at: UInt8(ascii: "="))
            if !name.isEmpty { entries.append(Entry(name: name.trimmed, value: value?.trimmed)) }
        }
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The value of a parameter, its name compared without regard to case. Setting nil removes it.
    package subscript(name: String) -> String? {
        get { entries.first { $0.name.asciiLowercased == name.asciiLowercased }?.value }
        set {
            let key = name.asciiLowercased
            guard let newValue else { return entries.removeAll { $0.name.asciiLowercased == key } }
            if let index = entries.firstIndex(where: { $0.name.asciiLowercased == key }) {
                entries[index].value = newValue
            } else {
                entries.append(Entry(name: name, value: newValue))
            }
        }
    }

    /// Sets every parameter of `other`, as far as the limit allows.
    package mutating func merge(_ other: SDPFormatParameters) {
        for entry in other.entries where entries.count < SDPFormatParameters.limit {
            if let value = entry.value { self[entry.name] = value } else { entries.append(entry) }
        }
    }
}

extension SDPFormatParameters: CustomStringConvertible {
    package var description: String {
        entries.map { entry in entry.value.map { "\(entry.name)=\($0)" } ?? entry.name }.joined(separator: ";")
    }
}

extension SDPFormatParameters: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(parsing: text) }
}
