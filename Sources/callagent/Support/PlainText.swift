/// Text from the network as a terminal may have it.
enum PlainText {
    /// One line without control and formatting characters, of at most `limit` scalars.
    static func shown(_ text: String, limit: Int = 64) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return String(result) + "..." }
            result.append(isHarmless(scalar) ? scalar : "?")
            count += 1
        }
        return String(result)
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
