/// What the run came to.
package struct Verdicts: Codable, Sendable, Equatable {
    /// Nothing below is against it.
    package var ok = true
    /// The run was whole, everybody got in and everything that was sent has arrived.
    package var isWhole = true
    /// The tester was the bottleneck: what the run says of the server is not to be trusted in these seconds.
    package var saturation: Saturation?
    /// Those of `--assert`.
    package var thresholds: [ThresholdVerdict] = []
    /// What is against it, one sentence each.
    package var failures: [String] = []

    package init() {}
}

/// The seconds in which the tester was the bottleneck.
package struct Saturation: Codable, Sendable, Equatable {
    package var seconds: [Int]
    package var reasons: [SaturationReason]

    package init(seconds: [Int], reasons: [SaturationReason]) {
        self.seconds = seconds
        self.reasons = reasons
    }
}

/// What became of one `--assert`.
package struct ThresholdVerdict: Codable, Sendable, Equatable {
    /// As it was given: `video.freezeRatio<1%`.
    package var expression: String
    package var ok: Bool
    /// What was measured, in the metric's own unit; nil where nothing was, which is not ok.
    package var measured: Double?
    /// One sentence for people.
    package var message: String

    package init(expression: String, ok: Bool, measured: Double?, message: String) {
        self.expression = expression
        self.ok = ok
        self.measured = measured
        self.message = message
    }
}
