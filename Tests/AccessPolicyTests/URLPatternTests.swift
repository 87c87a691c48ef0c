import Testing

@testable import AccessPolicy

/// Regular expressions over whole URLs.
@Suite struct URLPatternTests {
    private static func fits(_ pattern: String, _ text: String) throws -> Bool {
        try URLPattern(pattern).matches(plain: text)
    }

    @Test(arguments: [
        ("abc", "abc", true), ("abc", "abcd", false), ("abc", "xabc", false), ("a.c", "axc", true),
        ("a.c", "ac", false),
        ("^abc$", "abc", true), (#"a\$"#, "a$", true), (#"a\\$"#, #"a\"#, true), ("a*", "", true), ("a*", "aaaa", true),
        ("a+", "", false), ("(ab)+", "ababab", true), ("(ab)+", "aba", false), ("a?b", "b", true), ("a??b", "ab", true),
        ("a{3}", "aaa", true), ("a{3}", "aa", false), ("a{2,}", "a", false), ("a{2,}", "aaaaa", true),
        ("a{1,3}", "aaaa", false), ("a{1,3}", "aaa", true), ("a{0}b", "b", true), ("(a|b|cd)*", "acdb", true),
        ("(a|b|cd)*", "acb", false), ("(?:x|y)z", "yz", true), ("a||b", "", true), ("[a-c]+", "abcabc", true),
        ("[^a-c]+", "xyz", true), ("[^a-c]+", "xaz", false), ("[]x]+", "]x", true), ("[a-]+", "a-a", true),
        (#"[\d.]+"#, "127.0", true), (#"\d{2}\w\W\D"#, "12a-x", true), (#"[\]\\]+"#, #"]\"#, true), (#"\_"#, "_", true),
        ("(a*)*b", "aaab", true), ("(a?){5}a{5}", "aaaaa", true), ("((a|b)*c)*", "abcbac", true),
    ])
    func table(pattern: String, text: String, fits: Bool) throws { #expect(try Self.fits(pattern, text) == fits) }

    @Test(arguments: [
        "", "a b", "\u{E4}", "(a", "a)", "[a", "[z-a]", "a{2", "a{,3}", "a{3,2}", "*a", "a**", "a{2}{3}", "(?=a)",
        "(?<n>a)",
        #"\1"#, #"\b"#, #"a\"#, "a^b", "a$b", "a{257}", #"[a-\d]"#, "|*",
    ])
    func refused(pattern: String) {
        let fault = #expect(throws: PatternFault.self) { try URLPattern(pattern) }
        #expect(fault?.description.isEmpty == false)
    }

    /// Each took exponential time, or memory, in a machine that tries one way after the other, or that unrolls all.
    @Test func hostilePatternsAreBounded() throws {
        let text = String(repeating: "a", count: 16_000) + "!"
        for pattern in ["(a+)+", "(a*)*b", "(a|a)*b", "(a|aa)+$", "(.*)*x", "((a?){20}){20}"] {
            #expect(try !Self.fits(pattern, text), "\(pattern)")
        }
        for pattern in [
            "((((a{200}){200}){200}){200})", "((((){200}){200}){200}){200}", String(repeating: "(", count: 40) + "a",
            String(repeating: "(a|", count: 100), "(a{256}){256}", String(repeating: "a", count: 513),
        ] {
            #expect(throws: PatternFault.self, "\(pattern)") { try URLPattern(pattern) }
        }
    }

    /// Random expressions against the textbook's definition: derivatives by Brzozowski.
    @Test func agreesWithDerivatives() throws {
        var generator = SeededRandom(state: 7)
        var agreed = (yes: 0, no: 0)
        for _ in 0..<3_000 {
            let pattern = generator.expression(depth: 4)
            let compiled = try URLPattern("(\(pattern.text))")
            for _ in 0..<6 {
                let text = (0..<generator.next(7)).map { _ in generator.next(2) == 0 ? "a" : "b" }.joined()
                let expected = text.utf8.reduce(pattern) { $0.derivative($1) }.isNullable
                #expect(compiled.matches(plain: text) == expected, "\(pattern.text) \(text)")
                if expected { agreed.yes += 1 } else { agreed.no += 1 }
            }
        }
        #expect(agreed.yes > 1_000 && agreed.no > 1_000)
    }
}

private indirect enum Expression {
    case nothing, empty
    case byte(UInt8)
    case either(Expression, Expression)
    case both(Expression, Expression)
    case star(Expression)

    var text: String {
        switch self {
        case .nothing, .empty: "()"
        case .byte(let byte): String(Unicode.Scalar(byte))
        case .either(let a, let b): "(\(a.text)|\(b.text))"
        case .both(let a, let b): "\(a.text)\(b.text)"
        case .star(let a): "(\(a.text))*"
        }
    }

    var isNullable: Bool {
        switch self {
        case .nothing, .byte: false
        case .empty, .star: true
        case .either(let a, let b): a.isNullable || b.isNullable
        case .both(let a, let b): a.isNullable && b.isNullable
        }
    }

    func derivative(_ byte: UInt8) -> Expression {
        switch self {
        case .nothing, .empty: .nothing
        case .byte(let own): own == byte ? .empty : .nothing
        case .either(let a, let b): .either(a.derivative(byte), b.derivative(byte))
        case .both(let a, let b):
            a.isNullable
                ? .either(.both(a.derivative(byte), b), b.derivative(byte)) : .both(a.derivative(byte), b)
        case .star(let a): .both(a.derivative(byte), self)
        }
    }
}

private struct SeededRandom {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    mutating func expression(depth: Int) -> Expression {
        switch depth == 0 ? next(3) : next(8) {
        case 0: .empty
        case 1: .byte(UInt8(ascii: "a"))
        case 2: .byte(UInt8(ascii: "b"))
        case 3, 4: .either(expression(depth: depth - 1), expression(depth: depth - 1))
        case 5: .star(expression(depth: depth - 1))
        default: .both(expression(depth: depth - 1), expression(depth: depth - 1))
        }
    }
}
