import Foundation

@testable import ScenarioCore

/// As much of JSON Schema as the published one uses, over scenario files: what an editor would say of them.
struct SchemaValidator {
    private let root: [String: Any]

    init(_ text: String) throws {
        root = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    /// Where a file breaks it; none where it is valid.
    func problems(_ node: ScenarioNode) -> [SourcePosition] { problems(node, root) }

    private func problems(_ node: ScenarioNode, _ schema: [String: Any]) -> [SourcePosition] {
        if let condition = schema["if"] as? [String: Any] {
            let holds = problems(node, condition.merging(Self.anything) { own, _ in own }).isEmpty
            return problems(node, schema[holds ? "then" : "else"] as? [String: Any] ?? [:])
        }
        if schema["anything"] != nil { return [] }
        if let choices = schema["anyOf"] as? [[String: Any]] {
            let found = choices.map { problems(node, $0) }
            return found.contains { $0.isEmpty } ? [] : [node.position]
        }
        switch node.content {
        case .mapping(let entries): return mapping(entries, node, schema)
        case .list(let items):
            guard schema["type"] as? String == "array", let item = schema["items"] as? [String: Any] else {
                return [node.position]
            }
            return items.flatMap { problems($0, item) }
        case .scalar(let text, let isQuoted): return isValid(text, isQuoted, schema) ? [] : [node.position]
        }
    }

    /// A mapping with whatever in it.
    private static var anything: [String: Any] { ["type": "object", "additionalProperties": ["anything": true]] }

    private func mapping(
        _ entries: [ScenarioNode.Entry], _ node: ScenarioNode, _ schema: [String: Any]
    ) -> [SourcePosition] {
        guard schema["type"] as? String == "object" else { return [node.position] }
        let known = schema["properties"] as? [String: [String: Any]] ?? [:]
        let others = schema["additionalProperties"] as? [String: Any]
        let required = Set(schema["required"] as? [String] ?? [])
        let missing = required.subtracting(entries.map(\.key)).map { _ in node.position }
        return missing
            + entries.flatMap { entry -> [SourcePosition] in
                guard let schema = known[entry.key] ?? others else { return [entry.keyPosition] }
                return problems(entry.value, schema)
            }
    }

    private func isValid(_ text: String, _ isQuoted: Bool, _ schema: [String: Any]) -> Bool {
        if let words = schema["enum"] as? [String] { return words.contains(text) }
        let types = schema["type"] as? [String] ?? [schema["type"] as? String ?? ""]
        guard types.contains(where: { Self.types(of: text, isQuoted).contains($0) }) else { return false }
        if let pattern = schema["pattern"] as? String {
            return text.range(of: pattern, options: .regularExpression) != nil
        }
        guard let lower = schema["minimum"] as? Double, let upper = schema["maximum"] as? Double else { return true }
        return Double(text).map { (lower...upper).contains($0) } ?? false
    }

    /// The types of YAML's core schema.
    private static func types(of text: String, _ isQuoted: Bool) -> Set<String> {
        if isQuoted { return ["string"] }
        if text == "true" || text == "false" { return ["boolean"] }
        if Int(text) != nil { return ["integer", "number"] }
        return Double(text) != nil ? ["number"] : ["string"]
    }
}
