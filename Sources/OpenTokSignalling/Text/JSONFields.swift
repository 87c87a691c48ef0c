/// The members of an object in a message, with bounds; null is as good as absent. Unknown members are ignored, for newer
/// senders have more.
struct JSONFields {
    /// Bytes of a text for which nothing else is said: ids and names.
    static let defaultLimit = 255

    private let members: [String: JSON]
    private let path: String

    init(_ json: JSON, path: String = "") throws(MessageFault) {
        guard case .object(let members) = json else {
            throw MessageFault(path: path, problem: "no object; send {...}")
        }
        self.members = members
        self.path = path
    }

    subscript(name: String) -> JSON? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    func fault(_ name: String, _ problem: String) -> MessageFault { MessageFault(path: child(name), problem: problem) }

    private func child(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private func missing(_ name: String) -> MessageFault { fault(name, "missing; this member is required") }
}

// MARK: - Texts, numbers, flags

extension JSONFields {
    func optionalText(_ name: String, limit: Int = defaultLimit) throws(MessageFault) -> String? {
        guard let value = self[name] else { return nil }
        guard case .string(let text) = value else { throw fault(name, "no string; send text in quotation marks") }
        guard text.utf8.count <= limit else {
            var fault = fault(name, "\(text.utf8.count) bytes; send at most \(limit)")
            fault.isTooLong = true
            throw fault
        }
        return text
    }

    func text(_ name: String, limit: Int = defaultLimit) throws(MessageFault) -> String {
        guard let text = try optionalText(name, limit: limit) else { throw missing(name) }
        return text
    }

    /// A text that is one part of a path: not empty and without a slash.
    func identifier(_ name: String) throws(MessageFault) -> String {
        let text = try text(name)
        guard text.isIdentifier else { throw fault(name, "no id; send 1 to 255 bytes without slashes and controls") }
        return text
    }

    func optionalFlag(_ name: String) throws(MessageFault) -> Bool? {
        guard let value = self[name] else { return nil }
        guard case .bool(let flag) = value else { throw fault(name, "no truth value; send true or false") }
        return flag
    }

    func flag(_ name: String) throws(MessageFault) -> Bool {
        guard let flag = try optionalFlag(name) else { throw missing(name) }
        return flag
    }

    func optionalInteger(_ name: String, in range: ClosedRange<Int64>) throws(MessageFault) -> Int64? {
        guard let value = self[name] else { return nil }
        guard let number = value.whole, range.contains(number) else {
            throw fault(name, "no whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(MessageFault) -> Int64 {
        guard let number = try optionalInteger(name, in: range) else { throw missing(name) }
        return number
    }

    func optionalNumber(_ name: String, in range: ClosedRange<Double>) throws(MessageFault) -> Double? {
        guard let value = self[name] else { return nil }
        let number: Double? =
            switch value {
            case .integer(let whole): Double(whole)
            case .number(let number): number
            default: nil
            }
        guard let number, range.contains(number) else {
            throw fault(name, "no number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// One of the words that `Value` has.
    func optionalWord<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, _: Value.Type = Value.self
    ) throws(MessageFault) -> Value? {
        guard let text = try optionalText(name) else { return nil }
        guard let value = Value(rawValue: text) else {
            let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault(name, "none of its words; send one of \(words)")
        }
        return value
    }

    func word<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, _: Value.Type = Value.self
    ) throws(MessageFault) -> Value {
        guard let value = try optionalWord(name, Value.self) else { throw missing(name) }
        return value
    }
}

// MARK: - Lists and objects

extension JSONFields {
    /// An array's elements; empty where there is none.
    func list(_ name: String, limit: Int) throws(MessageFault) -> [JSON] {
        guard let value = self[name] else { return [] }
        guard case .array(let values) = value else { throw fault(name, "no array; send [...]") }
        guard values.count <= limit else { throw fault(name, "\(values.count) elements; send at most \(limit)") }
        return values
    }

    func texts(_ name: String, limit: Int, bytes: Int = defaultLimit) throws(MessageFault) -> [String] {
        var result: [String] = []
        for (index, value) in try list(name, limit: limit).enumerated() {
            guard case .string(let text) = value, text.utf8.count <= bytes else {
                throw fault("\(name)[\(index)]", "no string of at most \(bytes) bytes")
            }
            result.append(text)
        }
        return result
    }

    func objects(_ name: String, limit: Int) throws(MessageFault) -> [JSONFields] {
        var result: [JSONFields] = []
        for (index, value) in try list(name, limit: limit).enumerated() {
            result.append(try JSONFields(value, path: child("\(name)[\(index)]")))
        }
        return result
    }

    func optionalObject(_ name: String) throws(MessageFault) -> JSONFields? {
        guard let value = self[name] else { return nil }
        return try JSONFields(value, path: child(name))
    }

    func object(_ name: String) throws(MessageFault) -> JSONFields {
        guard let fields = try optionalObject(name) else { throw missing(name) }
        return fields
    }
}

extension String {
    /// Fit for one segment of a path: 1 to 255 bytes without controls and slashes.
    var isIdentifier: Bool {
        (1...255).contains(utf8.count) && utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "/") }
    }
}
