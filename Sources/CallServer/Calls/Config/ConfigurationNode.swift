import Foundation
import LiveKitProtocol

/// A value in a configuration document, which knows where it stands.
struct ConfigurationNode {
    let value: JSONValue
    let path: String

    func fault(_ problem: String) -> ServiceConfigurationError {
        ServiceConfigurationError(path: path, problem: problem)
    }

    private func child(_ name: String, _ value: JSONValue) -> ConfigurationNode {
        ConfigurationNode(value: value, path: path.isEmpty ? name : "\(path).\(name)")
    }

    /// The members of an object whose names are free.
    func members() throws(ServiceConfigurationError) -> [(name: String, node: ConfigurationNode)] {
        guard case .object(let members) = value else { throw fault("this is no object; write it as {...}") }
        return members.sorted { $0.key < $1.key }.map { ($0.key, child($0.key, $0.value)) }
    }

    /// The members of an object that may have these and no others.
    func members(_ allowed: [String]) throws(ServiceConfigurationError) -> [String: ConfigurationNode] {
        var result: [String: ConfigurationNode] = [:]
        for (name, node) in try members() {
            guard allowed.contains(name) else {
                throw node.fault("there is no such setting; use \(allowed.joined(separator: ", "))")
            }
            result[name] = node
        }
        return result
    }

    func text() throws(ServiceConfigurationError) -> String {
        guard case .string(let text) = value, !text.isEmpty else {
            throw fault("this is no text; write it in quotation marks, with at least one character")
        }
        return text
    }

    func list() throws(ServiceConfigurationError) -> [ConfigurationNode] {
        guard case .array(let values) = value else { throw fault("this is no list; write it as [...]") }
        return values.enumerated().map { ConfigurationNode(value: $1, path: "\(path)[\($0)]") }
    }

    func text(oneOf allowed: [String]) throws(ServiceConfigurationError) -> String {
        let text = try text().uppercased()
        guard allowed.contains(text) else {
            throw fault("\"\(text)\" is none of \(allowed.joined(separator: ", "))")
        }
        return text
    }
}

extension ConfigurationNode {
    /// Reads a document. Throws what is no JSON, with line and column.
    init(parsing data: Data) throws(ServiceConfigurationError) {
        if let offset = JSONGrammar.fault(in: Array(data)) {
            throw ServiceConfigurationError(path: "", problem: "this is no valid JSON\(Self.place(offset, in: data))")
        }
        do {
            self.init(value: try JSONDecoder().decode(JSONValue.self, from: data), path: "")
        } catch {
            throw ServiceConfigurationError(path: "", problem: "this is no valid JSON")
        }
    }

    private static func place(_ offset: Int, in data: Data) -> String {
        let before = data.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
        return " at line \(line), column \(column)"
    }
}
