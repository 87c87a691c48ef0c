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

    /// What isn't seen is shown; joiners and the tags of flags are part of what is seen.
    @Test(arguments: [
        ("a\u{ad}b\u{200b}c\u{feff}", "a\\u{ad}b\\u{200b}c\\u{feff}"), ("नि\u{200d}", "नि\u{200d}"),
        ("🏴\u{e0067}\u{e0062}\u{e007f}", "🏴\u{e0067}\u{e0062}\u{e007f}"), ("\u{e0001}", "\\u{e0001}"),
        ("Grüße, 你好", "Grüße, 你好"),
    ]) func whatIsNotSeenIsShown(text: String, shown: String) { #expect(text.printable == shown) }

    @Test func aLimitIsOneOfBytes() {
        #expect("plain text".printable(limit: 10) == "plain text" && "plain text".printable(limit: 9) == "plain tex…")
        #expect("a\nb\u{1b}[31m".printable(limit: 100) == #"a\nb\u{1b}[31m"#)
        // An escape is there whole or not at all.
        #expect("a\u{1b}".printable(limit: 6) == "a…" && "a\u{1b}".printable(limit: 7) == #"a\u{1b}"#)
        #expect("üü".printable(limit: 3) == "ü…" && "x".printable(limit: 0) == "…" && "".printable(limit: 0) == "")
        let accents = "e" + String(repeating: "\u{301}", count: 9_000)
        #expect(accents.printable(limit: 100).utf8.count < 110)
        #expect(String(repeating: "x", count: 5_000).printable(limit: 100).utf8.count < 110)
    }

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
