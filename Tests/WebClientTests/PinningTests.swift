import AccessPolicy
import Foundation
import Testing

@testable import TransportSecurity
@testable import WebClient

/// A local authority, servers on loopback over TLS, and clients that pin keys or present certificates.
@Suite(.timeLimit(.minutes(10))) struct PinningTests {
    static func get(
        _ server: TestWebServer, _ trust: TLSTrust, host: String = "localhost", _ path: String = "/x"
    ) async throws -> WebAnswer {
        let url = try #require(URLComponents(string: "https://\(host):\(server.port)\(path)"))
        return try await WebClient.send(WebRequest(.get, url, trust: trust))
    }

    static func fault(_ server: TestWebServer, _ trust: TLSTrust, host: String = "localhost") async -> TLSError? {
        do { _ = try await get(server, trust, host: host) } catch WebFailure.tls(let error) { return error } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    /// Leaf, intermediate and root of the verified chain count; a backup alone does not open anything.
    @Test func pinsOfTheChain() async throws {
        let authority = try TestAuthority()
        let server = try await TestWebServer(try TestWebServer.context(authority))
        let backup = try authority.pin("backup")
        for name in ["server", "middle", "root"] {
            var trust = authority.root
            trust.pins = try CertificatePins([try authority.pin(name), backup])
            #expect(try await Self.get(server, trust).status == 200, "\(name)")
        }
        let seen = server.requests.withLock { $0.count }
        var wrong = authority.root
        wrong.pins = try CertificatePins([backup, try authority.pin("stranger")])
        let error = await Self.fault(server, wrong)
        #expect(error == .notPinned(peer: "localhost:\(server.port)"))
        #expect(error?.description.contains(backup) == false)
        #expect(server.requests.withLock { $0.count } == seen, "nothing was asked")
        // Where the key is lost the backup's takes its place.
        try authority.issue("renewed", key: "backup", by: "middle", "subjectAltName=DNS:localhost")
        try authority.chain("renewed")
        let renewed = try await TestWebServer(try TestWebServer.context(authority, "renewed", key: "backup"))
        var trust = authority.root
        trust.pins = try CertificatePins([try authority.pin("server"), backup])
        #expect(try await Self.get(renewed, trust).status == 200)
        try await server.stop()
        try await renewed.stop()
    }

    /// A pin is no trust: what OpenSSL refuses stays refused, and says why.
    @Test func pinsReplaceNothing() async throws {
        let authority = try TestAuthority()
        let pins = try CertificatePins([try authority.pin("server"), try authority.pin("backup")])
        var trust = authority.root
        trust.pins = pins
        var unknown = TLSTrust(rootsFile: nil)
        unknown.pins = pins
        let server = try await TestWebServer(try TestWebServer.context(authority))
        guard case .untrusted = await Self.fault(server, unknown) else {
            Issue.record("an unknown root")
            return
        }
        try authority.issue("other", key: "server", by: "middle", "subjectAltName=DNS:elsewhere.example")
        try authority.chain("other")
        let other = try await TestWebServer(try TestWebServer.context(authority, "other", key: "server"))
        #expect(await Self.fault(other, trust) == .otherName(peer: "localhost:\(other.port)"))
        try authority.issue(
            "expired", key: "server", by: "middle", "subjectAltName=DNS:localhost", "-days", "0")
        try authority.chain("expired")
        let expired = try await TestWebServer(try TestWebServer.context(authority, "expired", key: "server"))
        guard case .outdated = await Self.fault(expired, trust) else {
            Issue.record("an expired certificate")
            return
        }
        for server in [server, other, expired] {
            #expect(server.requests.withLock { $0.isEmpty })
            try await server.stop()
        }
    }

    /// The server sends a certificate with the pinned key that does not verify anything: only the verified chain counts.
    @Test func whatIsOnlySentDoesNotCount() async throws {
        let authority = try TestAuthority()
        try authority.issue("guest", key: "stranger", by: "root", "basicConstraints=CA:FALSE")
        let sent =
            try Data(contentsOf: authority.folder.appendingPathComponent("server-chain.pem"))
            + Data(contentsOf: authority.folder.appendingPathComponent("guest.pem"))
        try sent.write(to: authority.folder.appendingPathComponent("server-chain.pem"))
        let server = try await TestWebServer(try TestWebServer.context(authority))
        var trust = authority.root
        trust.pins = try CertificatePins([try authority.pin("stranger"), try authority.pin("backup")])
        #expect(await Self.fault(server, trust) == .notPinned(peer: "localhost:\(server.port)"))
        try await server.stop()
    }

    @Test func certificatesCanBePinned() async throws {
        let authority = try TestAuthority()
        try authority.issue("spare", key: "backup", by: "root", "basicConstraints=CA:FALSE")
        try authority.openssl("x509", "-in", "middle.pem", "-outform", "DER", "-out", "middle.der")
        let server = try await TestWebServer(try TestWebServer.context(authority))
        var trust = authority.root
        trust.pins = try CertificatePins(
            [], certificateFiles: [authority.path("middle.der"), authority.path("spare.pem")])
        #expect(trust.pins == (try CertificatePins([try authority.pin("middle"), try authority.pin("backup")])))
        #expect(try await Self.get(server, trust).status == 200)
        for file in ["server.key", "none.pem"] {
            #expect(throws: PinFault.certificate(authority.path(file))) {
                try CertificatePins([], certificateFiles: [authority.path(file), authority.path("spare.pem")])
            }
        }
        try await server.stop()
    }

    @Test func webSocketsArePinnedToo() async throws {
        let authority = try TestAuthority()
        let server = try await TestWebServer(try TestWebServer.context(authority))
        let address = try WebAddress(try #require(URLComponents(string: "wss://localhost:\(server.port)")))
        func open(_ pins: [String]) async throws -> WebSocketConnection<[UInt8]>.Outcome {
            var trust = authority.root
            trust.pins = try CertificatePins(pins)
            let request = WebSocketConnection<[UInt8]>.Request(
                address, trust: trust, target: "/x", headers: [("Host", address.authority)], timeout: 10)
            return try await WebSocketConnection<[UInt8]>.open(request) { $0 }
        }
        let wrong = [try authority.pin("backup"), try authority.pin("stranger")]
        let error = await #expect(throws: TLSError.self) { _ = try await open(wrong) }
        #expect(error == .notPinned(peer: "localhost:\(server.port)"))
        #expect(server.requests.withLock { $0.isEmpty })
        // The server knows no WebSockets: its answer shows that the handshake was taken.
        guard case .refused(status: 200, _) = try await open([try authority.pin("server"), wrong[0]]) else {
            Issue.record("no answer over TLS")
            return
        }
        try await server.stop()
    }
}
