/// What is wrong with a file is collected, so that a person is told of all of it at once.
final class ProblemList {
    private(set) var problems: [ScenarioProblem] = []
    /// Of a file full of mistakes the first ones are enough.
    private static let limit = 100

    var isEmpty: Bool { problems.isEmpty }

    /// - Parameter text: is not made where there are enough: looking for what somebody may have meant costs some time.
    func add(_ position: SourcePosition, _ text: @autoclosure () -> String) {
        guard problems.count < Self.limit else { return }
        let problem = ScenarioProblem(position, text())
        // A crowd of two hundred has the mistake of its one line.
        if !problems.contains(problem) { problems.append(problem) }
    }
}
