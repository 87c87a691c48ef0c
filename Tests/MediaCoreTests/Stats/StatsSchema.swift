import Foundation

/// As much of JSON Schema 2020-12 as docs/schema/stats.json uses, and stricter: a property that the schema does not name is
/// a fault.
struct StatsSchema {
    private let root: [String: Any]

    init() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/schema/stats.json")
        root = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
    }

    /// What is wrong with a line.
    func faults(_ line: Any) -> [String] { faults(line, root, "$") }

    private func faults(_ value: Any, _ schema: [String: Any], _ path: String) -> [String] {
        if let reference = schema["$ref"] as? String {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            guard let target = (root["$defs"] as? [String: Any])?[name] as? [String: Any] else {
                return ["\(path): \(reference) leads nowhere"]
            }
            return faults(value, target, path)
        }
        if let choices = schema["oneOf"] as? [[String: Any]] {
            let results = choices.map { faults(value, $0, path) }
            let fitting = results.count(where: \.isEmpty)
            return fitting == 1
                ? [] : ["\(path): fits \(fitting) choices: \(results.min { $0.count < $1.count } ?? [])"]
        }
        return scalarFaults(value, schema, path) + objectFaults(value, schema, path) + arrayFaults(value, schema, path)
    }

    private func scalarFaults(_ value: Any, _ schema: [String: Any], _ path: String) -> [String] {
        var found: [String] = []
        if let constant = schema["const"] as? String, value as? String != constant {
            found.append("\(path): not \(constant)")
        }
        if let allowed = schema["enum"] as? [String], !allowed.contains(value as? String ?? "") {
            found.append("\(path): \(value) is none of \(allowed)")
        }
        if let type = schema["type"] as? String, !Self.isOf(type, value) { found.append("\(path): is no \(type)") }
        if let number = value as? NSNumber {
            if let least = schema["minimum"] as? Double, number.doubleValue < least {
                found.append("\(path): too small")
            }
            if let most = schema["maximum"] as? Double, number.doubleValue > most { found.append("\(path): too large") }
        }
        return found
    }

    private static func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "object": return value is [String: Any]
        case "array": return value is [Any]
        case "string": return value is String
        default: break
        }
        guard let number = value as? NSNumber, !(value is String) else { return false }
        let isBool = String(cString: number.objCType) == "c"
        switch type {
        case "boolean": return isBool
        case "integer": return !isBool && number.doubleValue == number.doubleValue.rounded()
        case "number": return !isBool
        default: return false
        }
    }

    private func objectFaults(_ value: Any, _ schema: [String: Any], _ path: String) -> [String] {
        guard let object = value as? [String: Any] else { return [] }
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
        return missing.map { "\(path).\($0): is missing" }
            + object.flatMap { key, value in
                properties[key].map { faults(value, $0, "\(path).\(key)") } ?? ["\(path).\(key): is not in the schema"]
            }
    }

    private func arrayFaults(_ value: Any, _ schema: [String: Any], _ path: String) -> [String] {
        guard let array = value as? [Any], let item = schema["items"] as? [String: Any] else { return [] }
        return array.enumerated().flatMap { faults($0.element, item, "\(path)[\($0.offset)]") }
    }
}
