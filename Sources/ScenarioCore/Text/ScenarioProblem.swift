/// A place in a scenario file; both count from 1, columns in Unicode scalars.
package struct SourcePosition: Hashable, Sendable, Comparable, CustomStringConvertible {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (first: Self, second: Self) -> Bool {
        (first.line, first.column) < (second.line, second.column)
    }

    package var description: String { "\(line):\(column)" }
}

/// Something in a scenario file that can't be: where, what, and what would be right.
package struct ScenarioProblem: Hashable, Sendable {
    package var position: SourcePosition
    package var text: String

    package init(_ position: SourcePosition, _ text: String) {
        self.position = position
        self.text = text
    }

    /// One line as compilers write it: `file:line:column: text`.
    package func line(in file: String) -> String { "\(file):\(position): \(text)" }
}

/// Everything that is wrong with a file, in the order of its lines.
package struct ScenarioProblems: Error, Hashable, Sendable, CustomStringConvertible {
    package var problems: [ScenarioProblem]

    package init(_ problems: [ScenarioProblem]) {
        self.problems = problems.sorted { ($0.position, $0.text) < ($1.position, $1.text) }
    }

    package var description: String { problems.map { "\($0.position): \($0.text)" }.joined(separator: "\n") }
}
