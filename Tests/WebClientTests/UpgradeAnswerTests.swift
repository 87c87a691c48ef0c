import Testing

@testable import WebClient

@Suite struct UpgradeAnswerTests {
    /// Key and answer of RFC 6455 section 1.3.
    private static let accept = WebSocketUpgrade<Void>.accept(key: "dGhlIHNhbXBsZSBub25jZQ==")
    private static let agreed =
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"

    private func read(_ text: String, in pieces: Int) -> [UpgradeAnswer.Step] {
        var answer = UpgradeAnswer(accept: Self.accept)
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: pieces).map { start in
            answer.read(bytes[start..<min(bytes.count, start + pieces)])
        }
    }

    @Test func theKeyOfTheStandardHasItsAnswer() { #expect(Self.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") }

    @Test func whatFollowsTheAnswerIsKept() {
        let text = Self.agreed + "Sec-WebSocket-Accept: \(Self.accept)\r\n\r\nframes"
        #expect(read(text, in: .max) == [.upgraded(rest: Array("frames".utf8))])
    }

    @Test(arguments: [1, 2, 3, 7, 50]) func piecesMakeNoDifference(size: Int) {
        let text = Self.agreed + "Sec-WebSocket-Accept: \(Self.accept)\r\n\r\n"
        let steps = read(text, in: size)
        #expect(steps.last == .upgraded(rest: []))
        #expect(steps.dropLast().allSatisfy { $0 == .incomplete })
    }

    @Test func informationalAnswersAreSkipped() {
        let text =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + Self.agreed
            + "Sec-WebSocket-Accept: \(Self.accept)\r\n\r\n!"
        #expect(read(text, in: .max) == [.upgraded(rest: [33])])
    }

    @Test(
        arguments: [
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
            "HTTP/1.1 101 x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: other\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 99999999999999999999 x\r\n\r\n", "HTTP/1.1 -10 x\r\n\r\n",
            "HTTP/1.1 101 x\r\nno field\r\n\r\n", "\r\n\r\n", String(repeating: "a", count: 16_385),
        ])
    func whatIsNoAgreementIsRefused(text: String) throws {
        guard case .malformed = try #require(read(text, in: .max).last) else {
            Issue.record("taken for an agreement")
            return
        }
    }

    @Test func aRefusalHasItsWords() {
        let text = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 5\r\n\r\nwordsand more"
        #expect(read(text, in: .max) == [.refused(status: 401, body: "words")])
    }

    @Test func aRefusalWithoutLengthEndsWithTheConnection() {
        var answer = UpgradeAnswer(accept: Self.accept)
        let head = answer.read(Array("HTTP/1.0 502 Bad Gateway\r\n\r\nback".utf8))
        #expect(head == .incomplete)
        let more = answer.read(Array("soon".utf8))
        #expect(more == .incomplete)
        let end = answer.end()
        #expect(end == .refused(status: 502, body: "backsoon"))
    }

    @Test(arguments: ["99999999999999999999", "-5", "x"]) func aSenselessLengthIsNoTrap(length: String) {
        let text = "HTTP/1.1 500 x\r\nContent-Length: \(length)\r\n\r\n"
        #expect(read(text, in: .max) == [.refused(status: 500, body: "")])
    }

    @Test func anEndlessRefusalIsCut() throws {
        let text = "HTTP/1.1 500 x\r\nContent-Length: 99999999\r\n\r\n" + String(repeating: "a", count: 20_000)
        guard case .refused(500, let body) = try #require(read(text, in: .max).last) else {
            Issue.record("no refusal")
            return
        }
        #expect(body.utf8.count == UpgradeAnswer.limit)
    }

    @Test func anEndBeforeTheAnswerIsNone() throws {
        var answer = UpgradeAnswer(accept: Self.accept)
        _ = answer.read(Array("HTTP/1.1 101".utf8))
        guard case .malformed = answer.end() else {
            Issue.record("taken for an answer")
            return
        }
    }
}
