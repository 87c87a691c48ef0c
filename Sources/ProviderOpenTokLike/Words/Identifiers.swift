/// Ids that nobody else has.
enum Identifiers {
    /// A random UUID of version 4 (RFC 9562 section 5.4).
    static func random() -> String {
        var digits = (0..<32).map { _ in UInt8.random(in: 0..<16) }
        digits[12] = 4
        digits[16] = digits[16] & 3 | 8
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text += String(digit, radix: 16)
        }
        return text
    }
}
