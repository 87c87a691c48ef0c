import CallModel
import Testing

/// What others write, on our terminal.
@Suite struct RemoteTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("Zoë 日本 👩‍👩‍👧", "Zoë 日本 👩‍👩‍👧"), ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\u{1b}[2J", "\\u{1b}[2J"),
        ("\u{9b}31m", "\\u{9b}31m"), ("\u{7f}\u{0}", "\\u{7f}\\u{0}"),
        ("\u{202e}fdp.exe\u{2066}", "\\u{202e}fdp.exe\\u{2066}"),
        ("e\u{301}\u{2028}x\u{200f}", "e\u{301}\\u{2028}x\\u{200f}"),
    ]) func whatSteersATerminalIsEscaped(text: String, shown: String) { #expect(text.printable == shown) }

    @Test func noScalarThatSteersIsLeft() {
        for value in UInt32(0)...0xffff {
            guard let scalar = Unicode.Scalar(value), scalar.isSteering else { continue }
            let shown = String(scalar).printable.unicodeScalars
            #expect(!shown.contains { $0.isSteering }, "\(value)")
        }
    }

    private static let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEiLCJleHAiOjF9.c2lnbmF0dXJlLWluLWJhc2U2NA"

    @Test(arguments: [
        ("invalid token: \(token)", "invalid token: [secret]"),
        ("Bearer \(token), again \(token)", "Bearer [secret], again [secret]"),
        ("payload eyJzdWIiOiJhZGEiLCJleHAiOjF9", "payload [secret]"), ("nothing of it", "nothing of it"),
        ("of another eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.eHh4eHh4eHg", "of another [token]"),
    ]) func aTokenIsCutOut(text: String, shown: String) {
        #expect(RemoteText.excerpt(text, without: [Self.token]) == shown)
    }

    @Test func anExcerptIsShort() {
        let shown = RemoteText.excerpt(String(repeating: "\u{1b}", count: 100_000), without: [])
        #expect(shown.unicodeScalars.count <= RemoteText.excerptLength + 3)
        #expect(RemoteText.excerpt([UInt8](repeating: 0xff, count: 1 << 20), without: []).unicodeScalars.count <= 303)
    }

    @Test func shortSecretsTakeNoWordsAway() { #expect(RemoteText.cut(["a", ""], from: "a banana") == "a banana") }
}
