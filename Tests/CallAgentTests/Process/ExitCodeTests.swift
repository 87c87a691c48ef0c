import Foundation
import Testing

@testable import callagent

/// Every way in which a subcommand can fail: the documented code, the input and the remedy named on standard error, nothing
/// on standard output, and no word that only the program itself understands.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ExitCodeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        var code: Int32
        var named: [String]
        var environment: [String: String] = [:]

        init(_ arguments: [String], _ code: Int32, _ named: String..., environment: [String: String] = [:]) {
            (self.arguments, self.code, self.named, self.environment) = (arguments, code, named, environment)
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let innerWords = [
        "ExitStatus", "Failure(", "Error(", "Inappropriate", "error set", "errno", "NIO", "Swift.", "callagent.",
        "Optional(",
        "CocoaError", "Fatal", "descriptor:", ".swift", "NSError", "Domain=",
    ]
    private static let me = ["--key", "devkey", "--secret", ServerProcess.secret, "--room", "r", "--identity", "ada"]
    private static let join = ["join", "--duration", "1"] + me
    private static let bob = ["--key", "devkey", "--secret", ServerProcess.secret, "--identity", "bob"]

    private static func check(_ test: Case) async throws {
        let ending = try await AgentProcess.run(test.arguments, environment: test.environment)
        #expect(ending.code == test.code, "\(ending.errors)")
        #expect(ending.output.isEmpty, "\(ending.output)")
        for word in test.named { #expect(ending.errors.contains(word), "\(word) is not in: \(ending.errors)") }
        for word in innerWords { #expect(!ending.errors.contains(word), "\(word) is in: \(ending.errors)") }
        #expect(!ending.errors.contains(ServerProcess.secret), "the secret is in: \(ending.errors)")
        let controls = ending.errors.unicodeScalars.filter { $0.value < 0x20 && $0 != "\n" }
        #expect(controls.isEmpty, "\(ending.errors.debugDescription)")
    }

    static let values: [Case] = {
        let hostile = ["-1", "nan", "inf", "1e308", "99999999999999999999", "x", ""]
        var cases: [Case] = []
        for (subcommand, options) in [
            (["call"], ["--participants", "--duration", "--hostile"]),
            (join + ["--url", "ws://h"], ["--duration", "--tone", "--data-interval", "--data-delay"]),
            (["serve", "--secret", "s"], ["--port", "--empty-timeout", "--departure-timeout", "--ring-timeout"]),
            (["ring", "--to", "c", "--server", "http://h"] + bob, ["--duration", "--tone"]),
            (["answer", "--server", "http://h"] + bob, ["--after", "--timeout", "--locked-for"]),
            (["decline", "--server", "http://h"] + bob, ["--after", "--timeout"]), (["doctor"], ["--port"]),
            (["score", "--calibrate"], ["--seeds", "--seconds"]),
        ] {
            for option in options {
                for value in hostile { cases.append(Case(subcommand + [option, value], 2, option)) }
            }
        }
        let mint = ["token", "mint", "--key", "k", "--secret", "s", "--room", "r", "--identity", "i", "--ttl"]
        for value in ["9223372036854775807", "-9223372036854775808", "1e308", "nan", "x"] {
            cases.append(Case(mint + [value], 2, "--ttl"))
        }
        cases.append(Case(["call", "--participants", "99999999"], 2, "--participants 99999999"))
        for network in ["loss=nan", "loss=-1", "delay=1e308", "rate=inf", "seed=-1", "jitter=x", "="] {
            cases.append(Case(["call", "--network", network], 2, "--network"))
        }
        for picture in ["99999x99999@30", "640x360@1e308", "640x360@nan", "-1x-1", "9223372036854775808x1"] {
            cases.append(Case(["call", "--picture", picture], 2, "--picture"))
        }
        return cases
    }()

    @Test(arguments: values) func aHostileValueIsRefused(test: Case) async throws { try await Self.check(test) }

    static let lacking: [Case] = [
        Case(["join"], 2, "--url", "LIVEKIT_URL"),
        Case(["join", "--url", "ws://h"], 2, "--token", "LIVEKIT_API_SECRET"),
        Case(["serve"], 2, "--secret", "--secret-file", "LIVEKIT_API_SECRET"),
        Case(["call", "--server", "ws://h"], 2, "--key", "--secret"), Case(["ring"], 2, "--identity"),
        Case(["ring", "--to", "c", "--identity", "b"], 2, "--server", "LIVEKIT_URL"),
        Case(["answer", "--identity", "b", "--server", "http://h"], 2, "--key", "--secret"),
        Case(["decline", "--identity", "b", "--server", "http://h", "--key", "k"], 2, "--secret"),
        Case(["token", "mint", "--room", "r", "--identity", "i"], 2, "--key", "--secret"),
        Case(["token", "decode"], 2, "--token-file", "LIVEKIT_TOKEN"), Case(["journal"], 2, "file"),
        Case(["descriptor"], 2, "--conversation"),
        Case(["descriptor", "--conversation", "c"], 2, "--server", "LIVEKIT_URL"),
        Case(["descriptor", "--conversation", "c", "--server", "http://h"], 2, "--key", "--secret"),
        Case(["join", "--conversation", "c", "--server", "http://h"], 2, "--identity"),
        Case(["join", "--conversation", "c", "--identity", "i"], 2, "--server", "LIVEKIT_URL"),
        Case(["join", "--server", "http://h", "--identity", "i"], 2, "--conversation"),
        Case(["join", "--conversation", "c", "--identity", "i", "--room", "r", "--url", "ws://h"], 2, "--url, --room"),
        Case(["nonsense"], 2, "nonsense"), Case(["call", "--bogus"], 2, "--bogus"),
        Case(["chat", "--app", "a"], 2, "--server"), Case(["chat", "--server", "http://h"], 2, "--app"),
        Case(["chat", "--server", "nonsense", "--app", "a"], 2, "--server nonsense"),
        Case(["chat", "--server", "http://h", "--app", "a", "--user", "u"], 2, "CALLBRIDGE_SECURITY_KEY"),
        Case(["chat", "--server", "http://h", "--app", "a", "--wait", "nan"], 2, "--wait"),
        Case(["chat", "--server", "http://h", "--app", "a", "--say", "x", "--attach", "/nowhere"], 2, "/nowhere"),
        Case(["chat", "--server", "http://127.0.0.1:1", "--app", "a", "--say", "x"], 3, "does not answer"),
        Case(["join", "--url", "ws://h", "--pin", "sha256/x"] + me, 2, "--pin", "sha256/"),
        Case(
            ["join", "--url", "ws://h", "--pin", "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="] + me, 2,
            "--pin",
            "backup"),
        Case(["chat", "--server", "http://h", "--app", "a", "--pin", "/nowhere.pem"], 2, "--pin", "/nowhere.pem"),
        Case(["join", "--url", "ws://h", "--client-certificate", "/nowhere.p12"] + me, 2, "/nowhere.p12"),
        Case(
            ["join", "--url", "ws://h", "--client-certificate-password", "hush"] + me, 2,
            "--client-certificate-password", "--client-certificate:"),
        Case(["chat-server", "--port", "70000"], 2, "--port 70000"),
        Case(["chat-server", "--users", "f"], 2, "--users", "--app"),
        Case(["chat-server", "--app", "a", "--users", "/nowhere"], 2, "/nowhere"),
        Case(["chat-server", "--webhook", "nonsense"], 2, "--webhook", "nonsense"),
        Case(["chat-server", "--bind", "192.0.2.1", "--port", "0"], 3, "192.0.2.1"),
        Case(["chat-server", "webhooks", "--count", "0"], 2, "--count 0"),
        Case(["chat-server", "check", "--url", "http://h", "--app", "a", "--user", "u"], 2, "--security-key"),
        Case(["token", "decode", "rubbish"], 2, "three parts"),
        Case(["token", "decode", "rubbish", "--token-file", "f"], 2, "exclude each other"),
        Case(["join", "--url", "ws://h", "--token", ""], 2, "--token"), Case(["serve", "--secret", ""], 2, "--secret"),
    ]

    @Test(arguments: lacking) func aWrongCommandLineIsNamed(test: Case) async throws { try await Self.check(test) }

    static let urls: [Case] = {
        var cases: [Case] = []
        for url in [
            "rubbish", "127.0.0.1:7880", "ws://", "ftp://h", "ws://h:99999", "ws://h:0", "ws://h:-1", "ws://[::1",
            "ws://a b",
        ] {
            cases.append(Case(join + ["--url", url], 2, url))
        }
        for url in ["rubbish", "ftp://h", "http://", "http://h:99999"] {
            cases.append(Case(["answer", "--server", url, "--timeout", "1"] + bob, 2, url))
        }
        // Nobody listens on the discard port.
        cases += [
            Case(join + ["--url", "ws://127.0.0.1:9"], 3, "127.0.0.1:9", "Connection refused", "is it running"),
            Case(join + ["--url", "ws://[::1]:9"], 3, "[::1]:9", "is it running"),
            Case(join + ["--url", "wss://127.0.0.1:9"], 3, "127.0.0.1:9", "Connection refused"),
            Case(join + ["--url", "ws://nowhere.invalid"], 3, "nowhere.invalid", "resolved"),
            Case(["call", "--server", "ws://127.0.0.1:9", "--key", "k", "--secret", "s"], 3, "127.0.0.1:9"),
            Case(
                ["ring", "--to", "c", "--server", "http://127.0.0.1:9"] + bob, 3, "127.0.0.1:9", "Connection refused"),
            Case(
                ["descriptor", "--conversation", "c", "--server", "http://127.0.0.1:9", "--key", "k", "--secret", "s"],
                3,
                "127.0.0.1:9", "Connection refused", "is it running"),
            Case(["answer", "--server", "http://nowhere.invalid"] + bob, 3, "nowhere.invalid", "resolved"),
            Case(["decline", "--server", "http://[::1]:9"] + bob, 3, "[::1]:9"),
            Case(["serve", "--secret", "s", "--port", "0", "--bind", "192.0.2.77"], 3, "192.0.2.77"),
            Case(["serve", "--secret", "s", "--port", "0", "--bind", "nowhere.invalid"], 3, "nowhere.invalid"),
            Case(["serve", "--secret", "s", "--webhook", "ftp://h"], 2, "ftp://h"),
            Case(["serve", "--secret", "s", "--ice-server", "rubbish"], 2, "rubbish"),
        ]
        return cases
    }()

    @Test(arguments: urls) func aServerThatCannotBeHadIsNamed(test: Case) async throws { try await Self.check(test) }

    @Test func filesThatCannotBeUsedAreNamed() async throws {
        let folder = try TemporaryFolder()
        let text = try folder.file("text.wav", "no sound in here\n")
        let missing = folder.path + "/missing"
        let server = try await ServerProcess.start()
        var cases: [Case] = []
        for path in [text, missing, folder.path] {
            cases.append(Case(["score", "--reference", "/none.wav", "--heard", path], 2, path))
            for option in ["--wav", "--y4m", "--score-reference"] {
                cases.append(Case(Self.join + ["--url", server.url, option, path], 2, path))
            }
            cases.append(Case(["serve", "--secret", "s", "--config", path], 2, path))
            cases.append(
                Case(["serve", "--secret", "s", "--port", "0", "--tls-certificate", path, "--tls-key", path], 2, path))
        }
        for path in [missing + "/x", folder.path] {
            cases.append(Case(Self.join + ["--url", server.url, "--journal", path], 3, path))
            cases.append(Case(["serve", "--secret", "s", "--port", "0", "--journal", path], 3, path))
            cases.append(Case(["call", "--journal", path], 3, path))
            cases.append(Case(["score", "--calibrate", "--svg", path], 3, "--svg", path))
        }
        cases += [
            Case(Self.join + ["--url", server.url, "--record", text + "/x"], 3, text),
            Case(Self.join + ["--url", server.url, "--speaker", missing + "/x.wav"], 3, missing),
            Case(["journal", missing], 3, missing, "No such file"), Case(["journal", folder.path], 3, folder.path),
            Case(["journal", text], 2, text, "line 1"),
        ]
        for test in cases { try await Self.check(test) }
        try await server.stop()
    }

    @Test func aServerThatRefusesIsQuoted() async throws {
        let server = try await ServerProcess.start()
        let other = "another-secret-of-32-characters!!"
        let port = try #require(server.url.split(separator: ":").last)
        var cases = [
            Case(["join", "--url", server.url, "--token", "eyJhbGciOiJub25lIn0.e30."], 3, "token", "401"),
            Case(
                [
                    "ring", "--to", "c", "--server", server.service, "--key", "devkey", "--secret", other, "--identity",
                    "b",
                ], 3, "key and secret"),
            Case(["serve", "--secret", "s", "--port", String(port)], 3, "in use"),
            // TLS where none is spoken.
            Case(Self.join + ["--url", "wss://127.0.0.1:\(port)"], 3, "does not speak TLS", "ws://"),
            Case(["answer", "--server", "https://127.0.0.1:\(port)"] + Self.bob, 3, "does not speak TLS"),
        ]
        cases.append(
            Case(
                ["join", "--url", server.url, "--key", "devkey", "--secret", other, "--room", "r", "--identity", "i"],
                3, "401"))
        for test in cases { try await Self.check(test) }
        try await server.stop()
    }

    /// No TLS server, no HTTP server, and none that answers: each says what it is.
    @Test func whatIsNoCallServerIsSaidInWordsForPeople() async throws {
        let closing = try ScriptedListener { _ in .closing("") }
        let garbage = try ScriptedListener { _ in .closing("SSH-2.0-OpenSSH_9.2\r\n") }
        // What a TLS server sends to one who doesn't speak it: an alert (RFC 8446 section 6).
        let secure = try ScriptedListener { _ in .closing("\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{46}") }
        let web = try ScriptedListener { _ in ScriptedListener.http("404 Not Found", "<html>nothing here</html>") }
        for (server, words) in [
            (closing, "can't be reached"), (garbage, "can't be reached"), (secure, "can't be reached"),
            (web, "is it a LiveKit server"),
        ] {
            let place = "127.0.0.1:\(server.port)"
            try await Self.check(Case(Self.join + ["--url", "ws://\(place)"], 3, place, words))
            try await Self.check(Case(["answer", "--server", "http://\(place)"] + Self.bob, 3, place))
        }
        for server in [closing, garbage] {
            try await Self.check(
                Case(Self.join + ["--url", "wss://127.0.0.1:\(server.port)"], 3, "127.0.0.1:\(server.port)"))
        }
    }

    @Test func whatAServerSaysSteersNoTerminalAndRepeatsNoSecret() async throws {
        let hostile = try ScriptedListener { request in
            let token = request.split(whereSeparator: \.isNewline).first { $0.contains("Authorization") } ?? ""
            return ScriptedListener.http(
                "401 Unauthorized", "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\ncallagent: all is well \(token)")
        }
        let place = "127.0.0.1:\(hostile.port)"
        let ending = try await AgentProcess.run(Self.join + ["--url", "ws://\(place)"])
        #expect(ending.code == 3 && ending.errors.contains("HTTP 401"))
        #expect(ending.errors.contains("\\u{1b}]0;owned\\u{7}\\u{9b}2J\\u{202e}\\ncallagent: all is well"))
        #expect(!ending.errors.contains("eyJ"), "the token is in: \(ending.errors)")
        #expect(ending.errors.split(separator: "\n").count == 1, "a line was forged: \(ending.errors)")
        let ring = try await AgentProcess.run(["ring", "--to", "c", "--server", "http://\(place)"] + Self.bob)
        #expect(ring.code == 3 && !ring.errors.contains("\u{1b}"))
    }

    @Test func aFullRoomIsCalledFull() async throws {
        let full = try ScriptedListener { request in
            request.contains("/validate")
                ? ScriptedListener.http("200 OK", "success")
                : ScriptedListener.http("500 Internal Server Error", "room has exceeded its max participants")
        }
        let place = "ws://127.0.0.1:\(full.port)"
        for mode in [[], ["--two-connections"]] {
            let ending = try await AgentProcess.run(Self.join + ["--url", place] + mode)
            #expect(ending.code == 3 && ending.errors.contains("the room is full"), "\(ending.errors)")
            #expect(!ending.errors.contains("check the URL"), "\(ending.errors)")
        }
    }

    /// The table stands in the help of each subcommand that has all of its codes, in README and in the documentation.
    @Test func theTableOfCodesIsTheSameEverywhere() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        for page in ["README.md", "docs/command-line.md"] {
            let text = try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
            for status in ExitStatus.allCases {
                let row = "| \(status.rawValue) | \(status.meaning) |"
                #expect(text.contains(row), "\(page) has no row \(row)")
            }
            #expect(text.contains("| 129, 130, 143 |"), "\(page) lacks the codes of signals")
        }
        for subcommand in [
            "call", "serve", "join", "ring", "answer", "decline", "descriptor", "journal", "doctor", "token mint",
            "load",
        ] {
            let ending = try await AgentProcess.run(subcommand.split(separator: " ").map(String.init) + ["--help"])
            #expect(ending.code == 0 && ending.errors.isEmpty)
            #expect(ending.output.contains("EXIT CODES") && ending.output.contains("EXAMPLES"), "\(subcommand)")
        }
    }
}

/// A folder that is removed with its last user.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/callagent-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Writes a file and gives its path.
    func file(_ name: String, _ text: String, permissions: Int = 0o600) throws -> String {
        let file = path + "/" + name
        #expect(
            FileManager.default.createFile(
                atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: permissions]))
        return file
    }

    /// The permission bits of a file in it.
    func permissions(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
