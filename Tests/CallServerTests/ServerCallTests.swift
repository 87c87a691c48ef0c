import LiveKitProtocol
import NIOCore
import NIOPosix
import Testing

@testable import CallServer

/// Remote procedure calls of the room API.
@Suite(.timeLimit(.minutes(10))) struct ServerCallTests {
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.any()

    @Test func theAnswerEndsTheCallAndTheAcknowledgementOneTimer() async throws {
        let promise = eventLoop.makePromise(of: Livekit_PerformRpcResponse.self)
        let timers = (0..<2).map { _ in eventLoop.scheduleTask(in: .hours(1)) {} }
        var calls = ServerCalls()
        calls.begin("id", participant: "PA_a", promise: promise, timers: timers)
        #expect(calls.participant(of: "id") == "PA_a" && calls.participant(of: "other") == nil)
        calls.acknowledge("id")
        await #expect(throws: EventLoopError.self) { try await timers[0].futureResult.get() }
        calls.finish("id", .success(.with { $0.payload = "pong" }))
        #expect(try await promise.futureResult.get().payload == "pong")
        await #expect(throws: EventLoopError.self) { try await timers[1].futureResult.get() }
        // A late one is nobody's.
        calls.finish("id", .failure(TwirpError(.internal, "late")))
        #expect(calls.participant(of: "id") == nil)
    }

    @Test func whoLeavesEndsTheCallsToThem() async throws {
        let (a, b) = (
            eventLoop.makePromise(of: Livekit_PerformRpcResponse.self),
            eventLoop.makePromise(of: Livekit_PerformRpcResponse.self)
        )
        var calls = ServerCalls()
        calls.begin("1", participant: "PA_a", promise: a, timers: [])
        calls.begin("2", participant: "PA_b", promise: b, timers: [])
        calls.end(of: "PA_a")
        let error = await #expect(throws: TwirpError.self) { try await a.futureResult.get() }
        #expect(error?.code == .unavailable && error?.meta == ["rpc_code": "1503"])
        calls.finish("2", .success(Livekit_PerformRpcResponse()))
        _ = try await b.futureResult.get()
    }

    @Test func aCallToSomebodyWithoutADataChannelFailsAtOnce() async throws {
        try await withCallServer { server in
            let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join("alice"))
            _ = try await client.next(\.joining)
            let api = RoomAPI.admin(server)
            let body = #"{"room":"r","destination_identity":"alice","method":"m","payload":"p"}"#
            let answer = try await api.call("PerformRpc", body)
            #expect(answer.status == 503 && answer.code == "unavailable")
            let long = String(repeating: "x", count: 15 * 1024 + 1)
            let refused = try await api.call(
                "PerformRpc", #"{"room":"r","destination_identity":"alice","method":"m","payload":"\#(long)"}"#)
            #expect(refused.status == 400 && refused.code == "invalid_argument")
            // Data goes to those who can take it: here to nobody.
            #expect(try await api.call("SendData", #"{"room":"r","data":"AAEC","kind":"LOSSY"}"#).body == "{}")
            let nonce = try await api.call("SendData", #"{"room":"r","data":"AAEC","nonce":"AAEC"}"#)
            #expect(nonce.status == 400 && nonce.code == "invalid_argument")
        }
    }
}
