/// The JSON Schema of scenario files and stories, written from the tables that the readers read by.
package enum ScenarioSchema {
    package static let identifier = "scenario.json"

    /// The schema, with a newline at its end.
    package static var text: String {
        var members: [(String, SchemaValue)] = [
            ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
            ("$id", .text(identifier)),
            ("title", .text("A scenario file, or a story")),
        ]
        members.append(("if", .object([("required", .list([.text("story")]))])))
        members.append(("then", object(StoryKeys.file)))
        members.append(("else", object(ScenarioKeys.file)))
        return SchemaValue.object(members).text(indent: 0) + "\n"
    }

    private static func object(_ table: KeyTable) -> SchemaValue {
        let required = table.keys.filter(\.isRequired).map { SchemaValue.text($0.name) }
        var members: [(String, SchemaValue)] = [
            ("type", .text("object")),
            ("additionalProperties", .boolean(false)),
        ]
        if !required.isEmpty { members.append(("required", .list(required))) }
        members.append(
            (
                "properties",
                .object(
                    table.keys.map { key in
                        guard case .object(let body) = schema(key.type) else { return (key.name, .boolean(true)) }
                        return (key.name, .object([("description", .text(key.text))] + body))
                    })
            ))
        return .object(members)
    }

    private static func schema(_ type: ValueType) -> SchemaValue {
        switch type {
        case .text: scalar("string", "number", "boolean")
        case .integer(let range): numeric("integer", Double(range.lowerBound), Double(range.upperBound))
        case .number(let range): numeric("number", range.lowerBound, range.upperBound)
        case .boolean: .object([("type", .text("boolean"))])
        case .duration: pattern(durationPattern)
        case .durationOr(let word): pattern(durationPattern + "|^\(word)$")
        case .choice(let words): words.schema
        case .choices(let words): oneOrMany(words.schema)
        case .names: oneOrMany(scalar("string", "number"))
        case .spans(let words): oneOrMany(pattern("^\(duration)\\.\\.\(duration)$|^(\(words.joined(separator: "|")))$"))
        case .tone:
            .object([
                (
                    "anyOf",
                    .list([numeric("number", 100, 4000), pattern("^(auto|[0-9]+(\\.[0-9]+)?)$")])
                )
            ])
        case .picture: pattern("^[0-9]{3,4}x[0-9]{2,4}(@[0-9]+(\\.[0-9]+)?)?$")
        case .rectangle: pattern("^[0-9]{1,4}x[0-9]{1,4}\\+[0-9]{1,4}\\+[0-9]{1,4}$")
        case .limit(let unit): limit(unit)
        case .list(let table): .object([("type", .text("array")), ("items", object(table))])
        case .map(let table): .object([("type", .text("object")), ("additionalProperties", object(table))])
        }
    }

    private static let duration = "[0-9]+(\\.[0-9]+)?(ms|s|m|h)"
    private static let durationPattern = "^\(duration)$"
    private static let number = "[0-9]+(\\.[0-9]+)?"

    private static func limit(_ unit: LimitUnit) -> SchemaValue {
        let comparison = "^(>=|<=|>|<|=)? *"
        switch unit {
        case .count:
            return .object([
                ("anyOf", .list([pattern("\(comparison)\(number)$"), .object([("type", .text("number"))])]))
            ])
        case .percent: return pattern("\(comparison)\(number) *%$")
        case .duration: return pattern("\(comparison)\(duration)$")
        }
    }

    private static func scalar(_ types: String...) -> SchemaValue {
        .object([("type", .list(types.map { .text($0) }))])
    }

    private static func pattern(_ pattern: String) -> SchemaValue {
        .object([("type", .text("string")), ("pattern", .text(pattern))])
    }

    private static func numeric(_ type: String, _ lower: Double, _ upper: Double) -> SchemaValue {
        .object([("type", .text(type)), ("minimum", .number(lower)), ("maximum", .number(upper))])
    }

    private static func oneOrMany(_ item: SchemaValue) -> SchemaValue {
        .object([
            ("anyOf", .list([item, .object([("type", .text("array")), ("items", item)])]))
        ])
    }
}

extension [String] {
    fileprivate var schema: SchemaValue { .object([("enum", .list(map { .text($0) }))]) }
}

/// JSON with its members in order.
private indirect enum SchemaValue {
    case object([(String, SchemaValue)])
    case list([SchemaValue])
    case text(String)
    case number(Double)
    case boolean(Bool)

    func text(indent: Int) -> String {
        let margin = String(repeating: "  ", count: indent + 1)
        let end = String(repeating: "  ", count: indent)
        switch self {
        case .object(let members):
            let lines = members.map { "\(margin)\(Self.quoted($0)): \($1.text(indent: indent + 1))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(end)}"
        case .list(let items):
            if items.allSatisfy(\.isPlain) { return "[\(items.map { $0.text(indent: 0) }.joined(separator: ", "))]" }
            return "[\n\(items.map { margin + $0.text(indent: indent + 1) }.joined(separator: ",\n"))\n\(end)]"
        case .text(let text): return Self.quoted(text)
        case .number(let number):
            return number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
        case .boolean(let value): return value ? "true" : "false"
        }
    }

    private var isPlain: Bool {
        switch self {
        case .object, .list: false
        default: true
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", by: "\\\\").replacing("\"", by: "\\\"") + "\""
    }
}
