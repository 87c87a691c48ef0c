import LiveKitProtocol
import RTCTransport
import RTCWire
import Testing

@testable import CallServer

@Suite(.timeLimit(.minutes(10))) struct LoopStallTests {
    @Test func whatHoldsALoopIsKnownByItsKind() async throws {
        try await withCallServer { server in
            let caller = try await Caller.join(server, "a", seed: 7_001)
            // A message is noted after its answer has left: the second answer tells that the first message stands there.
            for turn: Int64 in 1...2 {
                caller.signal.send(.with { $0.pingReq.timestamp = turn })
                _ = try await caller.signal.next { $0.pongResp.lastPingTimestamp == turn ? true : nil }
            }
            let kinds = Set(server.stalls.holds.filter { $0.source == .message }.map(\.kind))
            #expect(kinds.isSuperset(of: ["join", "ping", "reading of a message", "HTTP /rtc/v1"]), "\(kinds)")
            #expect(server.stalls.holds.allSatisfy { $0.held <= $0.wall })
            try await caller.media.close()
        }
    }

    @Test func aStallIsLogged() async throws {
        let book = LogBook(.warning)
        try await withCallServer({ $0.logger = book.logger }) { server in
            let held = StallMeter.limit * 2
            server.stalls.note(LoopHold(source: .message, kind: "offer", held: held, wall: held), at: .zero)
        }
        #expect(book.contains("an event loop was held for long") && book.contains("offer"))
    }
}
