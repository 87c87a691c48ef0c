import RTCWire
import Testing

@testable import RTCCore

/// Recorded sessions of Chromium and aioice: an agent with the credentials of one side takes what the other has sent.
@Suite struct ICEVectorTests {
    private struct File: Decodable {
        var sessions: [Session]
    }

    private struct Session: Decodable {
        var roles: String
        var chromiumUfrag: String
        var chromiumPwd: String
        var aioiceUfrag: String
        var aioicePwd: String
        var messages: [Message]

        var chromium: ICECredentials { ICECredentials(ufrag: chromiumUfrag, pwd: chromiumPwd) }
        var aioice: ICECredentials { ICECredentials(ufrag: aioiceUfrag, pwd: aioicePwd) }
    }

    private struct Message: Decodable {
        var ms: Int
        var from: String
        var source: String
        var destination: String
        var type: String
        var hex: String
    }

    @Test(arguments: ["stun-opus-red-dtmf.json", "stun-opus-dtx.json"], ["chromium", "aioice"])
    func takesEveryRecordedRequest(file: String, side: String) throws {
        let sessions = try CryptoVectors.json(file, as: File.self).sessions
        for session in sessions {
            // The larger tie-breaker never refuses; the smaller one gives way.
            for tieBreaker in [UInt64.max, 0] { try replay(session, as: side, tieBreaker: tieBreaker) }
        }
        #expect(sessions.count == 2)
    }

    private func replay(_ session: Session, as side: String, tieBreaker: UInt64) throws {
        var configuration = ICEConfiguration(role: .controlling)
        configuration.credentials = side == "chromium" ? session.chromium : session.aioice
        configuration.tieBreaker = tieBreaker
        let incoming = session.messages.filter { $0.from != side }
        let base = try #require(address(incoming.first?.destination ?? ""))
        let node = ICENode(configuration, bases: [base])
        node.agent.addLocalCandidate(base, now: .zero)
        _ = node.agent.setRemoteCredentials(side == "chromium" ? session.aioice : session.chromium, now: .zero)
        var requests: UInt64 = 0
        for message in incoming {
            let source = try #require(address(message.source))
            let changes = fromHex(message.hex).withUnsafeBytes {
                node.agent.receive(
                    $0, from: source, localBase: base, now: .zero + .milliseconds(message.ms), into: node.outbox)
            }
            #expect(changes.contains(.authenticated) == message.type.hasSuffix("request"))
            if message.type.hasSuffix("request") {
                requests += 1
                try expectAnswer(node, to: message, credentials: node.agent.localCredentials)
            }
            node.outbox.removeAll()
        }
        #expect(node.statistics.requestsReceived == requests && requests > 0)
        #expect(node.statistics.unmatchedResponses == UInt64(incoming.count) - requests)
        #expect(node.statistics.integrityFailures == 0 && node.statistics.usernameMismatches == 0)
        #expect(node.agent.remoteCandidates.count <= 1)
    }

    /// The first datagram queued answers the request: 487 where both sides claim one role and we keep it, else success.
    private func expectAnswer(_ node: ICENode, to message: Message, credentials: ICECredentials) throws {
        let datagram = try #require(node.outbox.datagrams.first)
        let bytes = Array(node.outbox.bytes(of: datagram))
        let answer = try STUNMessage(parsing: bytes.span.bytes)
        let request = try STUNMessage(parsing: fromHex(message.hex).span.bytes)
        let key = HMACSHA1(password: credentials.pwd)
        #expect(answer.transactionID == request.transactionID)
        let hasIntegrity = answer.hasValidIntegrity(in: bytes.span.bytes) { key.authenticate($0, into: $1) }
        let hasFingerprint = answer.hasValidFingerprint(in: bytes.span.bytes)
        #expect(hasIntegrity && hasFingerprint)
        let conflicts = node.agent.role == .controlling ? request.iceControlling != nil : request.iceControlled != nil
        if conflicts {
            #expect(answer.messageClass == .error && answer.errorCode == 487)
        } else {
            #expect(answer.messageClass == .success && answer.mappedAddress == address(message.source))
        }
    }

    private func address(_ text: String) -> TransportAddress? {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]) else { return nil }
        return TransportAddress(host: String(parts[0]), port: port)
    }
}
