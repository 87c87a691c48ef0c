/// What the session part and an m-section have in common: ordered lines, found by attribute name.
package protocol SDPSection {
    /// All lines of the section in order; an m-section's own `m=` line is not among them.
    var lines: [SDPLine] { get set }
}

extension SDPSection {
    /// The attributes in order.
    package var attributes: [SDPAttribute] {
        lines.compactMap { if case .attribute(let attribute) = $0 { attribute } else { nil } }
    }

    /// The value of the first attribute of that name; nil also where it has none.
    package func value(_ name: String) -> String? {
        for case .attribute(let attribute) in lines where attribute.name == name { return attribute.value }
        return nil
    }

    /// The values of all attributes of that name.
    package func values(_ name: String) -> [String] {
        lines.compactMap { line in
            guard case .attribute(let attribute) = line, attribute.name == name else { return nil }
            return attribute.value
        }
    }

    /// True where an attribute of that name stands, with or without a value.
    package func has(_ name: String) -> Bool {
        lines.contains { if case .attribute(let attribute) = $0 { attribute.name == name } else { false } }
    }

    /// The value of the first line of that letter.
    package func field(_ type: Unicode.Scalar) -> String? {
        for case .field(let letter, let value) in lines where UInt32(letter) == type.value { return value }
        return nil
    }

    /// Appends an attribute.
    package mutating func add(_ name: String, _ value: String? = nil) {
        lines.append(.attribute(SDPAttribute(name, value)))
    }

    /// Removes every attribute of that name.
    package mutating func remove(_ name: String) {
        lines.removeAll { if case .attribute(let attribute) = $0 { attribute.name == name } else { false } }
    }

    /// Replaces the first attribute of that name, or appends it.
    package mutating func set(_ name: String, _ value: String? = nil) {
        for index in lines.indices {
            guard case .attribute(let attribute) = lines[index], attribute.name == name else { continue }
            lines[index] = .attribute(SDPAttribute(name, value))
            return
        }
        add(name, value)
    }

    func writeLines(into text: inout String) {
        for line in lines {
            line.write(into: &text)
            text += "\r\n"
        }
    }
}

// MARK: Attributes that may stand at either level

extension SDPSection {
    /// `a=ice-ufrag` (RFC 8839 section 5.4).
    package var iceUfrag: String? { value("ice-ufrag") }
    /// `a=ice-pwd` (RFC 8839 section 5.4).
    package var icePwd: String? { value("ice-pwd") }
    /// `a=ice-options`, for example `trickle` (RFC 8839 section 5.6).
    package var iceOptions: [String] { value("ice-options")?.fields() ?? [] }
    /// Every `a=fingerprint` that parses (RFC 8122 section 5); peers may list several hash functions.
    package var fingerprints: [SDPFingerprint] { values("fingerprint").compactMap(SDPFingerprint.init(parsing:)) }
    /// `a=setup` (RFC 8842).
    package var setup: SDPSetup? { value("setup").flatMap { SDPSetup(rawValue: $0.trimmed) } }
    /// The direction attribute; nil where none stands here.
    package var statedDirection: MediaDirection? {
        for case .attribute(let attribute) in lines where attribute.value == nil {
            if let direction = MediaDirection(rawValue: attribute.name) { return direction }
        }
        return nil
    }
    /// `a=extmap-allow-mixed`: one- and two-byte header extensions may stand in one packet's stream (RFC 8285 section 6).
    package var extmapAllowMixed: Bool { has("extmap-allow-mixed") }
}
