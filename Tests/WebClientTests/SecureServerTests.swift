import CallBridge
import CallServer
import Foundation
import MediaCore
import ProviderLiveKitLike
import Testing

@testable import TransportSecurity
@testable import WebClient

/// The embedded server over TLS, and everything that speaks to it.
@Suite(.timeLimit(.minutes(10))) struct SecureServerTests {
    private static let secret = "a-secret-of-thirty-two-characters"

    private static func withServer(
        isSecure: Bool = true, _ body: (Int, TestCertificate) async throws -> Void
    ) async throws {
        let certificate = try TestCertificate()
        defer { certificate.remove() }
        var configuration = CallServerConfiguration(keys: ["key": secret])
        configuration.port = 0
        configuration.timing.request = 600_000
        if isSecure { configuration.tls = .init(certificate: certificate.certificate, key: certificate.key) }
        let server = CallServer(configuration: configuration)
        try await server.start()
        do {
            try await body(server.port, certificate)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static func bridge(_ port: Int, _ trust: ServerTrust) -> CallBridge {
        CallBridge(
            configuration: .init(
                server: "https://localhost:\(port)", credentials: .apiKey("key", secret: secret),
                providers: [.liveKitLike], trust: trust))
    }

    /// Configuration service and signalling: the descriptor's endpoint is wss because the request came over https.
    @Test func aCallIsMadeOverTLS() async throws {
        try await Self.withServer { port, certificate in
            let bridge = Self.bridge(port, .rootsFile(certificate.root))
            let ada = try await bridge.join(conversation: "c", as: "ada")
            try await ada.publish(.testTone(440))
            let bob = try await bridge.join(conversation: "c", as: "bob")
            var publisher: String?
            for await event in bob.events {
                guard case .trackSubscribed(_, _, let participant) = event else { continue }
                publisher = participant.identity
                break
            }
            #expect(publisher == "ada")
            await ada.leave()
            await bob.leave()
            await bridge.shutdown()
        }
    }

    @Test func anUnknownRootIsNamedWithItsRemedy() async throws {
        try await Self.withServer { port, _ in
            let bridge = Self.bridge(port, .system)
            let error = await #expect(throws: CallError.self) {
                _ = try await bridge.join(conversation: "c", as: "eve")
            }
            #expect(error?.fault == .configuration)
            #expect(error?.message.contains("localhost:\(port)") == true)
            #expect(error?.message.contains("--ca-file") == true)
            // Signalling by itself refuses too, at once and without trying again.
            let descriptor = CallDescriptor(
                callId: "c", conversationId: "c", provider: .liveKit, serviceProviderCallId: "r",
                endpoint: "wss://localhost:\(port)", credentials: .init(token: "no.real.token"))
            let refusal = await #expect(throws: CallError.self) { _ = try await bridge.join(descriptor) }
            #expect(refusal?.fault == .configuration)
            #expect(refusal?.message.contains("not trusted") == true)
            await bridge.shutdown()
        }
    }

    @Test func ringSignalsComeOverTLS() async throws {
        try await Self.withServer { port, certificate in
            func transport(_ person: String) -> ServerRingTransport {
                ServerRingTransport(
                    server: "https://localhost:\(port)", credentials: .apiKey("key", secret: Self.secret),
                    device: RingDevice(personId: person, deviceToken: "\(person)1"), trust: .rootsFile(certificate.root)
                )
            }
            let (ada, bob) = (transport("ada"), transport("bob"))
            let signals = try await bob.signals()
            let placed = try await ada.send(
                .place(RingRequest(conversationId: "c", callType: .audio, callerName: "ada", groups: [["bob"]])))
            var rung: String?
            for await signal in signals {
                guard case .offer(let ring) = signal else { continue }
                rung = ring.callId
                break
            }
            #expect(rung == placed)
            await ada.close()
            await bob.close()
        }
    }

    @Test(.timeLimit(.minutes(10))) func aPlainPortIsToldFromTLS() async throws {
        try await Self.withServer(isSecure: false) { port, certificate in
            let trust = TLSTrust(rootsFile: certificate.root)
            let plain = try #require(URLComponents(string: "http://127.0.0.1:\(port)/"))
            let answer = try await WebClient.send(WebRequest(.get, plain, trust: trust))
            #expect(answer.status == 200 && answer.body == Array("OK".utf8))
            let secure = try #require(URLComponents(string: "https://127.0.0.1:\(port)/"))
            let error = await #expect(throws: WebFailure.self) {
                _ = try await WebClient.send(WebRequest(.get, secure, trust: trust))
            }
            guard case .tls(.notTLS(let peer)) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(peer == "127.0.0.1:\(port)")
        }
    }

    @Test(.timeLimit(.minutes(10))) func whoSpeaksNoTLSDisturbsNobody() async throws {
        try await Self.withServer { port, certificate in
            let trust = TLSTrust(rootsFile: certificate.root)
            let plain = try #require(URLComponents(string: "http://127.0.0.1:\(port)/"))
            await #expect(throws: WebFailure.self) {
                _ = try await WebClient.send(WebRequest(.get, plain, trust: trust))
            }
            let secure = try #require(URLComponents(string: "https://localhost:\(port)/"))
            let answer = try await WebClient.send(WebRequest(.get, secure, trust: trust))
            #expect(answer.status == 200 && answer.body == Array("OK".utf8))
        }
    }

    @Test func aServerSaysWhichFileItCantUse() async throws {
        var configuration = CallServerConfiguration(keys: ["key": Self.secret])
        configuration.port = 0
        configuration.tls = .init(certificate: "/no/such.pem", key: "/no/such.key")
        let error = await #expect(throws: CallServerError.self) {
            try await CallServer(configuration: configuration).start()
        }
        #expect(error?.description.contains("/no/such.pem") == true)
    }

    @Test func redirectionsKeepSecretsAndTLS() throws {
        var request = WebRequest(
            .get, try #require(URLComponents(string: "https://a.example/x?y=1")), trust: TLSTrust(rootsFile: nil))
        request.headers = [("Authorization", "Basic secret")]
        #expect(request.following("/z")?.url.string == "https://a.example/z")
        #expect(request.following("/z")?.headers.count == 1)
        #expect(request.following("https://b.example/z")?.headers.isEmpty == true)
        #expect(request.following("https://a.example:8443/z")?.headers.isEmpty == true)
        #expect(request.following("http://a.example/z") == nil)
        request.method = .post
        #expect(request.following("/z") == nil)
    }
}
