import Foundation

/// As much of JSON Schema 2020-12 as our schemas use, and stricter: a property that the schema does not name is a fault.
struct SchemaChecker {
    let schemas: [String: Any]

    func faults(_ value: Any, file: String) -> [String] { faults(value, schemas[file] ?? [:], file, "$") }

    private func faults(_ value: Any, _ schema: Any, _ file: String, _ path: String) -> [String] {
        guard let schema = schema as? [String: Any] else { return ["\(path): no schema"] }
        if let reference = schema["$ref"] as? String { return follow(reference, value, file, path) }
        if let choices = schema["oneOf"] as? [Any] {
            let results = choices.map { faults(value, $0, file, path) }
            return results.contains([]) ? [] : results.flatMap(\.self)
        }
        var found = scalarFaults(value, schema, path)
        if let type = schema["type"] as? String, !Self.isOf(type, value) { return found + ["\(path): is no \(type)"] }
        if let object = value as? [String: Any] { found += objectFaults(object, schema, file, path) }
        if let array = value as? [Any] { found += arrayFaults(array, schema, file, path) }
        return found
    }

    private func follow(_ reference: String, _ value: Any, _ file: String, _ path: String) -> [String] {
        let parts = reference.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
        let target = parts[0].isEmpty ? file : parts[0]
        var schema = schemas[target]
        for key in parts[1].split(separator: "/") { schema = (schema as? [String: Any])?[String(key)] }
        return schema.map { faults(value, $0, target, path) } ?? ["\(path): \(reference) leads nowhere"]
    }

    private func objectFaults(
        _ object: [String: Any], _ schema: [String: Any], _ file: String, _ path: String
    ) -> [String] {
        let properties = schema["properties"] as? [String: Any] ?? [:]
        let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
        return missing.map { "\(path).\($0): is missing" }
            + object.flatMap { key, value in
                properties[key].map { faults(value, $0, file, "\(path).\(key)") } ?? [
                    "\(path).\(key): is not in the schema"
                ]
            }
    }

    private func arrayFaults(_ array: [Any], _ schema: [String: Any], _ file: String, _ path: String) -> [String] {
        var found: [String] = []
        if let least = schema["minItems"] as? Int, array.count < least { found.append("\(path): has too few items") }
        if let most = schema["maxItems"] as? Int, array.count > most { found.append("\(path): has too many items") }
        let first = schema["prefixItems"] as? [Any] ?? []
        for (index, value) in array.enumerated() {
            guard let item = index < first.count ? first[index] : schema["items"] else { continue }
            found += faults(value, item, file, "\(path)[\(index)]")
        }
        return found
    }

    private func scalarFaults(_ value: Any, _ schema: [String: Any], _ path: String) -> [String] {
        var found: [String] = []
        if let constant = schema["const"] as? String, value as? String != constant {
            found.append("\(path): is not \(constant)")
        }
        if let choices = schema["enum"] as? [String], !choices.contains(value as? String ?? "") {
            found.append("\(path): is none of \(choices)")
        }
        if let least = schema["minimum"] as? Double, let number = value as? Double, number < least {
            found.append("\(path): is below \(least)")
        }
        if let most = schema["maximum"] as? Double, let number = value as? Double, number > most {
            found.append("\(path): is above \(most)")
        }
        if let pattern = schema["pattern"] as? String, let text = value as? String,
            text.range(of: pattern, options: .regularExpression) == nil
        {
            found.append("\(path): does not match \(pattern)")
        }
        return found
    }

    private static func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "boolean": value is Bool
        case "integer": (value as? Double).map { $0 == $0.rounded() } ?? false
        case "number": value is Double
        default: false
        }
    }
}
