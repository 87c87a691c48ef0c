/// What a value in a scenario file may be.
package indirect enum ValueType: Sendable {
    case text
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case boolean
    /// `1.5s`, `200ms`, `10m`, `1h`.
    case duration
    /// A duration, or a word that stands for none.
    case durationOr(String)
    case choice([String])
    /// One of them, or a list.
    case choices([String])
    /// A name, or a list of names, of people and groups.
    case names
    /// `2s..5s`, a list of those, or a word.
    case spans([String])
    /// Hertz, or `auto`.
    case tone
    /// `640x360@15`.
    case picture
    /// `160x32+80+96`.
    case rectangle
    /// `< 2%` and the like, in a unit.
    case limit(LimitUnit)
    case list(KeyTable)
    case map(KeyTable)
}

/// One key of a mapping.
package struct KeyEntry: Sendable {
    package var name: String
    package var type: ValueType
    package var text: String
    package var isRequired = false

    init(_ name: String, _ type: ValueType, _ text: String, isRequired: Bool = false) {
        self.name = name
        self.type = type
        self.text = text
        self.isRequired = isRequired
    }
}

/// The keys that a mapping may have. The reader refuses all others, and the published schema is written from the same table.
package struct KeyTable: Sendable {
    /// What a person calls such a mapping: `a person`.
    package var name: String
    package var keys: [KeyEntry]

    package var names: [String] { keys.map(\.name) }

    package subscript(name: String) -> KeyEntry? { keys.first { $0.name == name } }
}
