import Foundation

/// Journals as text: one JSON object a line.
public enum JournalFile {
    /// One line, without its end.
    public static func line(_ event: JournalEvent) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // An event is made of strings and numbers, which JSON can always say.
        return (try? encoder.encode(event)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// The event of a line.
    ///
    /// - Parameter number: the line's number, from 1, for the error.
    public static func event(_ line: some StringProtocol, number: Int) throws(JournalFileError) -> JournalEvent {
        do {
            return try JSONDecoder().decode(JournalEvent.self, from: Data(line.utf8))
        } catch let error as DecodingError {
            throw JournalFileError(line: number, error)
        } catch {
            throw JournalFileError(line: number, field: nil, problem: "is no JSON object")
        }
    }

    /// All events of a journal; empty lines are passed over.
    public static func events(_ text: String) throws(JournalFileError) -> [JournalEvent] {
        var events: [JournalEvent] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.allSatisfy(\.isWhitespace) { continue }
            events.append(try event(line, number: index + 1))
        }
        return events
    }
}

/// Which line and field of a journal can't be read.
public struct JournalFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// The field; nil where the line as a whole is wrong.
    public var field: String?
    /// What is wrong with it.
    public var problem: String

    /// An error from its parts.
    public init(line: Int, field: String?, problem: String) {
        self.line = line
        self.field = field
        self.problem = problem
    }

    /// `line 3: "timestamp" is missing`
    public var description: String {
        field.map { "line \(line): \"\($0)\" \(problem)" } ?? "line \(line) \(problem)"
    }
}

extension JournalFileError {
    init(line: Int, _ error: DecodingError) {
        func path(_ keys: [any CodingKey]) -> String? {
            keys.isEmpty ? nil : keys.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".")
        }
        switch error {
        case .keyNotFound(let key, let context):
            self.init(line: line, field: path(context.codingPath + [key]), problem: "is missing")
        case .typeMismatch(let type, let context):
            self.init(line: line, field: path(context.codingPath), problem: "must be \(Self.word(for: type))")
        case .valueNotFound(let type, let context):
            self.init(
                line: line, field: path(context.codingPath), problem: "is null; it must be \(Self.word(for: type))")
        case .dataCorrupted(let context):
            let field = path(context.codingPath)
            self.init(
                line: line, field: field,
                problem: field == nil ? "is no JSON object" : "has a value that no journal knows")
        @unknown default: self.init(line: line, field: nil, problem: "can't be read")
        }
    }

    private static func word(for type: Any.Type) -> String {
        switch type {
        case is Int64.Type, is CallTime.Type: "a whole number"
        case is String.Type: "a string"
        case is [Any].Type, is [String].Type: "an array"
        default: "an object"
        }
    }
}
