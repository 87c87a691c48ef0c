import CallBridge
import CallModel
import Foundation
import Logging
import MediaCore
import OpenTokClient
import Synchronization
import Testing
import TransportSecurity

@testable import OpenTokSignalling
@testable import ProviderOpenTokLike
@testable import WebClient

/// Session information from a server whose answers the test has, on a clock that jumps.
@Suite struct SessionInformationTests {
    private static let session = OpenTokSessionID(project: "12345", mediaMode: .routed, createdAt: 0, random: 1)
    private static let other = OpenTokSessionID(project: "12345", mediaMode: .routed, createdAt: 0, random: 2)

    /// Answers one request after another, the last answer for ever.
    private final class Server: SessionGround {
        enum Answer: Sendable {
            case http(Int, [UInt8])
            case failure(WebFailure)
        }

        private let answers: [Answer]
        private let asked = Mutex<[WebRequest]>([])

        init(_ answers: [Answer]) { self.answers = answers }

        var requests: [WebRequest] { asked.withLock { $0 } }

        func send(_ request: WebRequest, maximumBody: Int) async throws(WebFailure) -> WebAnswer {
            let number = asked.withLock { asked in
                asked.append(request)
                return asked.count - 1
            }
            switch answers[min(number, answers.count - 1)] {
            case .http(let status, let body): return WebAnswer(status: status, body: body)
            case .failure(let failure): throw failure
            }
        }

        func footing(_ settings: ClientSettings, context: ProviderContext) throws(CallError) -> SessionFooting {
            throw CallError(.network, .unreachable, "no further")
        }
    }

    /// Whoever waits has waited.
    private final class JumpingClock: Sendable {
        private let time = Mutex(MediaTime(nanoseconds: 0))
        private let pauses = Mutex<[Double]>([])

        /// In seconds, as they were asked for.
        var waits: [Double] { pauses.withLock { $0 } }

        var clock: MediaClock {
            MediaClock({ self.time.withLock { $0 } }) { until in
                let wait = self.time.withLock { now in
                    defer { now = max(now, until) }
                    return until.seconds - now.seconds
                }
                self.pauses.withLock { $0.append((wait * 10).rounded() / 10) }
            }
        }
    }

    private static func information(of session: OpenTokSessionID = session) -> Server.Answer {
        let info = SessionInfo(
            session: session, project: "12345", messagingURL: "ws://h/m", serverAddress: "symphony.1")
        return .http(200, info.response.body)
    }

    private static func refusal(_ status: Int) -> Server.Answer {
        .http(status, SessionInfoRefusal(status: status, message: "no: T1==Xy7q9").response.body)
    }

    private func ask(
        _ server: Server, _ clock: JumpingClock = JumpingClock(), endpoint: String = "http://h:80"
    ) async -> Result<SessionInfo, CallError> {
        let engine = MediaEngine()
        var context = ProviderContext(
            engine: engine, media: .init(), subscribesAutomatically: true, logger: Logger(label: "test"))
        context.clock = clock.clock
        let result: Result<SessionInfo, CallError>
        do throws(CallError) {
            let asked = try SessionServer(
                endpoint: endpoint, session: Self.session.text, context: context, ground: server)
            result = .success(try await asked.information(token: "T1==Xy7q9"))
        } catch { result = .failure(error) }
        await engine.shutdown()
        return result
    }

    @Test(arguments: [
        ("http://h:80", "/session/"), ("http://h:80/", "/session/"), ("https://h/base", "/base/session/"),
        ("https://h/base/", "/base/session/"),
    ])
    func theTokenGoesInAHeaderAndTheSessionInThePath(_ endpoint: String, _ path: String) async throws {
        let server = Server([Self.information()])
        let info = try await ask(server, endpoint: endpoint).get()
        #expect(info.session == Self.session && info.messagingURL == "ws://h/m")
        let request = try #require(server.requests.first)
        #expect(request.url.path == path + Self.session.text && request.url.query == "extended=true")
        #expect(request.headers.first { $0.name == "X-TB-TOKEN-AUTH" }?.value == "T1==Xy7q9")
        #expect(request.method == .get && request.body.isEmpty)
    }

    @Test func whatPassesIsTriedAgain() async throws {
        let server = Server([.failure(.timedOut), .http(502, []), .http(200, Array("<html>".utf8)), Self.information()])
        let clock = JumpingClock()
        _ = try await ask(server, clock).get()
        #expect(server.requests.count == 4)
        #expect(clock.waits.filter { $0 > 0 } == [0.6, 1.2], "the second attempt comes at once")
    }

    private struct End {
        var name: String
        var answer: Server.Answer
        var code: CallError.Code
        var attempts: Int
    }

    private static let ends = [
        End(name: "nobody there", answer: .failure(.unreachable("refused")), code: .unreachable, attempts: 4),
        End(
            name: "a foreign certificate", answer: .failure(.tls(.untrusted(peer: "h", reason: "unknown issuer"))),
            code: .unreachable, attempts: 1),
        End(name: "a token that is refused", answer: refusal(403), code: .providerRefused, attempts: 1),
        End(name: "no such session", answer: refusal(400), code: .providerRefused, attempts: 1),
        End(name: "another session", answer: information(of: other), code: .protocolViolation, attempts: 1),
        End(name: "no JSON", answer: .http(200, [0x7b]), code: .protocolViolation, attempts: 4),
        End(name: "an empty array", answer: .http(200, Array("[]".utf8)), code: .protocolViolation, attempts: 4),
    ]

    @Test func whatDoesNotPassIsTold() async {
        for end in Self.ends {
            let server = Server([end.answer])
            guard case .failure(let error) = await ask(server) else {
                Issue.record("\(end.name): no error")
                continue
            }
            #expect(error.code == end.code, "\(end.name): \(error)")
            #expect(server.requests.count == end.attempts, "\(end.name)")
            #expect(!error.message.contains("Xy7q9"), "\(end.name) tells the token")
        }
    }
}
