import CallModel
import Foundation

/// Prints one JSON object on one line.
enum JSONOutput {
    static func print(_ value: some Encodable) { StandardOutput.report(text(value)) }

    /// The object. Scalars that steer terminals are written as escapes, which mean the same (RFC 8259 section 7).
    static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let data = try? encoder.encode(value) else { return "{}" }
        return escaped(String(decoding: data, as: UTF8.self))
    }

    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.isSteering) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // All of them are of the first plane; those below U+0020 the encoder has escaped.
            let isKept = !scalar.isSteering
            result.append(
                contentsOf: isKept ? .init([scalar]) : String(format: "\\u%04x", scalar.value).unicodeScalars)
        }
        return String(result)
    }
}
