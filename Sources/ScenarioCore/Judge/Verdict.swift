/// What came of one expectation.
package struct Verdict: Sendable, Hashable {
    package var expectation: Expectation
    /// What was expected, in a sentence.
    package var text: String
    package var isMet: Bool
    /// What was measured.
    package var measured: String

    package init(_ expectation: Expectation, _ text: String, isMet: Bool, measured: String) {
        self.expectation = expectation
        self.text = text
        self.isMet = isMet
        self.measured = measured
    }
}
