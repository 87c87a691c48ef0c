import Yams

/// Reads YAML into nodes with places. Whatever the text is, it costs bounded time and memory: size, depth and the number of
/// nodes have limits, and aliases, by which a short text can stand for a huge one, are not taken.
package enum YAMLText {
    package static let maximumBytes = 128 * 1024
    package static let maximumDepth = 16
    package static let maximumNodes = 20_000

    /// Throws `ScenarioProblems`.
    package static func read(_ text: String) throws(ScenarioProblems) -> ScenarioNode {
        guard text.utf8.count <= maximumBytes else {
            throw problem(
                1, 1, "the file has \(text.utf8.count) bytes and may have \(maximumBytes); use templates and count")
        }
        if let position = AliasScan.firstAlias(text) {
            throw ScenarioProblems([
                ScenarioProblem(
                    position,
                    "aliases (*name) are not taken; use templates and like, or put a space behind the * of a text")
            ])
        }
        let root: Node?
        do { root = try Yams.Parser(yaml: text, encoding: .utf8).singleRoot() } catch {
            throw explain(error)
        }
        guard let root else { throw problem(1, 1, "the file is empty; it begins with scenario: and a name") }
        var converter = NodeConverter()
        return try converter.convert(root, depth: 1)
    }

    private static func problem(_ line: Int, _ column: Int, _ text: String) -> ScenarioProblems {
        ScenarioProblems([ScenarioProblem(SourcePosition(line: max(1, line), column: max(1, column)), text)])
    }

    private static func explain(_ error: any Error) -> ScenarioProblems {
        guard let error = error as? YamlError else { return problem(1, 1, "the text is no YAML") }
        switch error {
        case .scanner(_, let what, let mark, _), .parser(_, let what, let mark, _),
            .composer(_, let what, let mark, _):
            return problem(mark.line, mark.column, "this is no YAML: \(what); check indentation, colons and quotes")
        case .reader(let what, let offset, _, let text):
            let before = String(decoding: Array(text.utf8.prefix(offset ?? 0)), as: UTF8.self)
            let line = before.utf8.count { $0 == 0x0a } + 1
            return problem(line, 1, "this is no YAML: \(what); only printable characters are taken")
        case .duplicatedKeysInMapping(let names, let context):
            return problem(
                context.mark.line, context.mark.column,
                "\(names.map(\.shortened).joined(separator: ", ")) stands twice in one mapping; keep one of them")
        default: return problem(1, 1, "the text is no YAML that can be read")
        }
    }
}

/// Finds what looks like an alias, in quotes or not: that is asked before the parser, which would follow it.
private enum AliasScan {
    static func firstAlias(_ text: String) -> SourcePosition? {
        var (line, column) = (1, 0)
        var before: UInt8 = 0x20
        var star: SourcePosition?
        for byte in text.utf8 {
            if let star, !isSpace(byte) { return star }
            star = nil
            // Continuation bytes of UTF-8 are no column of their own.
            if byte & 0xc0 != 0x80 { column += 1 }
            if byte == UInt8(ascii: "*"), opens(before) { star = SourcePosition(line: line, column: column) }
            if byte == 0x0a { (line, column) = (line + 1, 0) }
            before = byte
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

    /// Whether a token can begin behind it.
    private static func opens(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte >= 0x80 || Array("[{,-:?!\"'".utf8).contains(byte)
    }
}

/// Makes our nodes of the library's.
private struct NodeConverter {
    private var nodes = 0
    private var last = SourcePosition(line: 1, column: 1)

    mutating func convert(_ node: Node, depth: Int) throws(ScenarioProblems) -> ScenarioNode {
        let position = node.mark.map { SourcePosition(line: $0.line, column: $0.column) } ?? last
        last = position
        nodes += 1
        guard nodes <= YAMLText.maximumNodes else {
            throw failure(position, "the file has more than \(YAMLText.maximumNodes) values; use count and repeat")
        }
        guard depth <= YAMLText.maximumDepth else {
            throw failure(position, "this is nested more than \(YAMLText.maximumDepth) levels deep; nothing here is")
        }
        switch node {
        case .scalar(let scalar):
            let isQuoted = scalar.style == .singleQuoted || scalar.style == .doubleQuoted
            return ScenarioNode(content: .scalar(scalar.string, isQuoted: isQuoted), position: position)
        case .sequence(let sequence):
            var items: [ScenarioNode] = []
            for item in sequence { items.append(try convert(item, depth: depth + 1)) }
            return ScenarioNode(content: .list(items), position: position)
        case .mapping(let mapping):
            return ScenarioNode(content: .mapping(try entries(mapping, depth: depth)), position: position)
        case .alias: throw failure(position, "aliases are not taken; use templates and like")
        }
    }

    private mutating func entries(
        _ mapping: Node.Mapping, depth: Int
    ) throws(ScenarioProblems) -> [ScenarioNode.Entry] {
        var entries: [ScenarioNode.Entry] = []
        for (key, value) in mapping {
            let name = try convert(key, depth: depth + 1)
            guard case .scalar(let text, _) = name.content else {
                throw failure(name.position, "a key is a word, not \(name.kind)")
            }
            entries.append(
                .init(key: text, keyPosition: name.position, value: try convert(value, depth: depth + 1)))
        }
        return entries
    }

    private func failure(_ position: SourcePosition, _ text: String) -> ScenarioProblems {
        ScenarioProblems([ScenarioProblem(position, text)])
    }
}
