import Foundation
import Testing

/// What is secret is in no output, however much is logged, and not in the program.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RedactionTests {
    private static let passphrase = "e2ee-hush-4c1d-passphrase"
    private static let credential = "turn-hush-77ab-credential"
    private static let password = "p12-hush-90ef-password"
    private static let pins = [
        "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "sha256/ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
    ]
    private static let phone = "+41791234567"
    private static let secrets =
        [ServerProcess.secret, passphrase, credential, password] + pins.map { String($0.dropFirst(7)) }

    /// A file with a certificate and its key.
    private static func pkcs12() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("p12-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for arguments in [
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=ada",
                "-keyout",
                "key.pem", "-out", "own.pem",
            ],
            [
                "pkcs12", "-export", "-in", "own.pem", "-inkey", "key.pem", "-out", "own.p12", "-passout",
                "pass:\(password)",
            ],
        ] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
            process.arguments = arguments
            process.currentDirectoryURL = folder
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
        }
        return folder
    }

    /// Both ends of a call, with all that is secret on the command line.
    @Test(arguments: ["trace", "debug", "info", "notice", "warning", "error", "critical"])
    func atEveryLogLevel(level: String) async throws {
        let folder = try Self.pkcs12()
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await ServerProcess.start(["--log-level", level])
        var arguments =
            ["join", "--server", server.service, "--conversation", "c", "--identity", Self.phone]
            + ServerProcess.credentials
        arguments += [
            "--duration", "1", "--tone", "440", "--json", "--log-level", level, "--e2ee-key", Self.passphrase,
        ]
        arguments += ["--ice-server", "turn:127.0.0.1:9?transport=tcp,ada,\(Self.credential)"]
        arguments += ["--client-certificate", folder.path + "/own.p12", "--client-certificate-password", Self.password]
        for pin in Self.pins { arguments += ["--pin", pin] }
        let ending = try await AgentProcess.run(arguments)
        #expect(ending.output.contains(Self.phone), "it joined: \(ending.errors)")
        server.process.send(SIGTERM)
        let service = try await server.process.ending()
        // Both did log, as much as they were asked to: nobody listens on that port, and the server says who comes.
        let warns = !["error", "critical"].contains(level)
        #expect(ending.errors.contains("127.0.0.1:9") == warns, "\(ending.errors)")
        #expect(service.errors.contains(" debug ") == ["trace", "debug"].contains(level), "\(service.errors)")
        for (place, text) in [
            ("output", ending.output), ("errors", ending.errors), ("server", service.output),
            ("server's errors", service.errors),
        ] {
            for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) is in the \(place)") }
            // What every access token begins with.
            #expect(!text.contains("eyJ"), "a token is in the \(place)")
        }
        // A person's number is in the report that they asked for, and in no log by default.
        if level == "warning" { #expect(!(ending.errors + service.errors).contains(Self.phone)) }
    }

    @Test func thePasswordIsNotRepeatedByErrors() async throws {
        let folder = try Self.pkcs12()
        defer { try? FileManager.default.removeItem(at: folder) }
        let wrong = "wrong-hush-11aa-password"
        let file = folder.path + "/own.p12"
        let ending = try await AgentProcess.run(
            ["chat", "--server", "https://127.0.0.1:9", "--app", "a", "--client-certificate", file]
                + ["--client-certificate-password", wrong, "--log-level", "trace"])
        #expect(
            ending.code == 2 && ending.errors.contains(file) && ending.errors.contains("password"), "\(ending.errors)")
        #expect(!(ending.errors + ending.output).contains(wrong))
    }

    /// SEC-06: neither secrets of tests nor keys are in the program as it was built.
    @Test func theProgramHoldsNoSecret() throws {
        let program = try Data(contentsOf: AgentProcess.executable, options: .alwaysMapped)
        #expect(program.range(of: Data("--client-certificate-password".utf8)) != nil, "it is the program")
        let marks =
            Self.secrets + [
                "client-server-secret-of-32-characters", "BEGIN PRIVATE KEY-----\nM", "BEGIN RSA PRIVATE KEY",
            ]
        for mark in marks { #expect(program.range(of: Data(mark.utf8)) == nil, "\(mark)") }
    }
}
