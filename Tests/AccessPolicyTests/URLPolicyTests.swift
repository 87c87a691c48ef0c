import Testing

@testable import AccessPolicy

/// Which URLs are asked, and which never.
@Suite struct URLPolicyTests {
    private static let policy: URLPolicy = {
        do {
            return try URLPolicy(
                base: "https://chat.example/bank",
                patterns: [
                    #"https://fonts\.example/css/.*"#, #"https://.*\.cdn\.example/.*"#,
                    #"turns?:relay\.example(:\d+)?(\?transport=(udp|tcp))?"#,
                ])
        } catch { fatal(error) }
    }()

    private static func fatal(_ error: any Error) -> Never { preconditionFailure("\(error)") }

    @Test(arguments: [
        "https://chat.example/bank", "https://chat.example/bank/", "https://chat.example/bank/a?b=c#d",
        "wss://chat.example/bank/events?access_token=x", "HTTPS://Chat.EXAMPLE/bank/x", "https://chat.example:443/bank",
        "https://chat.example/%62ank/x", "https://chat.example/bank/a%2Fb", "https://chat.example/bank/...",
        "stun:chat.example", "turn:chat.example:3479?transport=udp", "turns:CHAT.example:443?transport=tcp",
        "https://fonts.example/css/a?b", "https://a.cdn.example/x", "https://a.b.cdn.example/",
        "turn:relay.example", "turns:relay.example:443?transport=tcp",
    ])
    func allowed(url: String) throws { try Self.policy.check(url) }

    @Test(arguments: [
        // Hosts that look alike.
        "https://evil-chat.example/bank", "https://chat.example.evil/bank", "https://chat-example/bank",
        "https://chat.exampleX/bank", "https://xchat.example/bank", "https://chat_example/bank",
        "https://xn--cht-8cd.example/bank", "https://evil.example/chat.example/bank",
        "https://evil.example/?https://chat.example/bank", "https://evil.example/#@chat.example/bank",
        // Patterns end where hosts do.
        "https://fontsXexample/css/a", "https://evil.example/a.cdn.example/x", "https://evil.example/?.cdn.example/x",
        "https://a.cdn.example.evil/x", "https://a.cdn.example:8443/x", "https://fonts.example/other",
        "turn:relay.example.evil", "turn:evil?relay.example", "stun:relay.example",
        // Ports, schemes, other paths.
        "https://chat.example:8443/bank", "http://chat.example/bank", "ws://chat.example/bank",
        "https://chat.example/bankrupt", "https://chat.example/", "https://chat.example/Bank",
        "turn:other.example",
    ])
    func outside(url: String) {
        let refusal = #expect(throws: URLRefusal.self) { try Self.policy.check(url) }
        #expect(refusal?.fault == nil && refusal?.description.contains("pattern") == true)
    }

    @Test(arguments: [
        ("https://chat.example@evil.example/bank", URLFault.userinfo),
        ("https://chat.example:secret@evil.example/bank", .userinfo), ("https://@chat.example/bank", .userinfo),
        ("https://evil.example\\@chat.example/bank", .backslash),
        ("https://chat.example\\.evil.example/bank", .backslash),
        ("https:\\\\chat.example/bank", .backslash), ("https://chat.example./bank", .host),
        ("https://chat..example/bank", .host), ("https://.chat.example/bank", .host),
        ("https://chat%2eexample/bank", .host), ("https://chat.example%00.evil/bank", .host),
        ("https://chat.example%2f@evil/bank", .userinfo), ("https:///chat.example/bank", .host),
        ("https:/chat.example/bank", .host), ("https:chat.example/bank", .host), ("https://", .host),
        ("https://b\u{FC}cher.example/", .characters), ("https://ch\u{430}t.example/bank", .characters),
        ("https://chat.example/bank /x", .characters), ("https://chat.example/bank\n", .characters),
        ("\thttps://chat.example/bank", .characters), ("https://chat\u{3002}example/bank", .characters),
        ("https://chat.example:/bank", .port), ("https://chat.example:0/bank", .port),
        ("https://chat.example:65536/bank", .port), ("https://chat.example:443x/bank", .port),
        ("https://chat.example:+443/bank", .port), ("https://chat.example/bank/../admin", .path),
        ("https://chat.example/bank/%2e%2e/admin", .path), ("https://chat.example/bank/..%2fadmin", .path),
        ("https://chat.example/bank/.%2e%5cadmin", .path), ("https://chat.example/bank/..;x/admin", .path),
        ("https://chat.example/./bank", .path), ("https://chat.example/bank/%", .path),
        ("https://chat.example/bank/%zz", .path), ("https://chat.example/bank/%0d%0aHost:x", .path),
        ("https://chat.example/bank/%00", .path), ("https://2130706433/", .host), ("https://0x7f.1/", .host),
        ("https://127.1/", .host), ("https://0177.0.0.1/", .host), ("https://127.0.0.256/", .host),
        ("https://[::1/", .host), ("https://[::1%25eth0]/", .host), ("https://[1::2::3]/", .host),
        ("https://[1:2:3:4:5:6:7:8:9]/", .host), ("https://[::g]/", .host), ("https://[]/", .host),
        ("javascript:alert(1)", .scheme), ("file:///etc/passwd", .scheme), ("ftp://chat.example/bank", .scheme),
        ("//chat.example/bank", .scheme), ("/bank", .scheme), ("", .scheme), ("turn:user@chat.example", .userinfo),
        ("turn://chat.example", .host), ("turn:chat.example/x", .host),
    ])
    func unreadable(url: String, fault: URLFault) {
        let refusal = #expect(throws: URLRefusal.self) { try Self.policy.check(url) }
        #expect(refusal?.fault == fault)
    }

    @Test func refusalsShowNoSecret() {
        for url in [
            "https://evil.example/x?token=hush", "https://u:hush@evil.example/", "https://evil.example/#hush",
            "turn:evil.example?hush", "x://u:hush@evil.example?hush", "https://u:hush@evil.example\\hushless",
        ] {
            let refusal = #expect(throws: URLRefusal.self) { try Self.policy.check(url) }
            let text = "\(refusal.map(String.init(describing:)) ?? "")".replacing("hushless", with: "")
            #expect(!text.contains("hush") && text.contains("evil.example"), "\(text)")
        }
    }

    @Test(arguments: [
        ("https://[0:0:0:0:0:0:0:1]/", "https://[::1]/"),
        ("https://[2001:DB8:0:0:1:0:0:1]/", "https://[2001:db8::1:0:0:1]/"),
        ("https://[1:2:3:4:5:6:7:8]:443/x", "https://[1:2:3:4:5:6:7:8]/x"), ("https://[::]:1/", "https://[::]:1/"),
        ("https://[1:0:2:0:3:0:4:0]", "https://[1:0:2:0:3:0:4:0]/"),
        ("http://127.0.0.1:80/%7Ea%c3", "http://127.0.0.1/~a%C3"),
        ("WSS://A.b:8443?Q=%zz", "wss://a.b:8443/?Q=%zz"), ("turn:A.b:3478?transport=udp", "turn:a.b?transport=udp"),
    ])
    func oneSpelling(url: String, canonical: String) throws {
        let read = try CanonicalURL(url)
        #expect(read.text == canonical)
        #expect(try CanonicalURL(read.text) == read)
    }

    @Test func aBaseThatIsNoneIsNamed() {
        for base in ["", "chat.example", "turn:chat.example", "https://u@chat.example", "https://chat.example/?q"] {
            #expect(throws: URLPolicyFault.self) { try URLPolicy(base: base) }
        }
        let fault = #expect(throws: URLPolicyFault.self) { try URLPolicy.validate(patterns: ["https://a/", "(b"]) }
        #expect(fault?.description.contains("(b") == true)
        let many = Array(repeating: "a", count: 65)
        #expect(throws: URLPolicyFault.tooMany) { try URLPolicy.validate(patterns: many) }
        let large = Array(repeating: "(a{100}){9}", count: 5)
        #expect(throws: URLPolicyFault.tooMany) { try URLPolicy.validate(patterns: large) }
    }

    /// Whatever bytes come: a URL that is allowed has the base's host, or one that a pattern names.
    @Test func mutationsNeverLeaveTheHosts() {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        let pieces = [
            "https://", "http://", "chat.example", "evil", ".", "/bank", "/", "@", ":", "443", "%2e", "%2f", "\\", "?",
            "#", "..",
            ".cdn.example", "[::1]", "turn:", ";", "%", "xn--",
        ]
        var allowed = 0
        for _ in 0..<30_000 {
            var url = random(2) == 0 ? "https://chat.example/bank" : "https://a.cdn.example/x"
            for _ in 0..<random(4) {
                let index = url.index(url.startIndex, offsetBy: random(url.count + 1))
                url.insert(contentsOf: pieces[random(pieces.count)], at: index)
            }
            guard let read = try? Self.policy.check(url) else { continue }
            allowed += 1
            let host = read.host
            #expect(host == "chat.example" || host.hasSuffix(".cdn.example"), "\(url)")
        }
        #expect(allowed > 1_000)
    }

    /// Mutations of good inputs of the fuzz target.
    @Test func hostileBytes() {
        var state: UInt64 = 5
        func random(_ below: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % below
        }
        let pattern = Array(#"https://.*\.cdn\.example/(a|b){2,5}"#.utf8)
        let urls = ["https://chat.example/bank?x", "https://u:p@[::1]:8443/%62/..", "turns:relay.example:443"]
        let seeds = urls.map { [UInt8(pattern.count)] + pattern + Array($0.utf8) }
        for _ in 0..<5_000 {
            var bytes = seeds[random(seeds.count)]
            for _ in 0..<(1 + random(4)) { bytes[random(bytes.count)] = UInt8(random(256)) }
            for (_, run) in AccessFuzzing.bodies { bytes.withUnsafeBytes { run($0) } }
        }
    }
}
