import CallBridge
import MediaCore
import Testing

@testable import ProviderLiveKitLike

/// Data between two of our clients, over the embedded server.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DataTests {
    private static let modes = [LiveKitLikeProvider.Mode.singleConnection, .twoConnections]

    /// Waits until a participant can be reached: what is sent to one whose channel has not opened is repeated for a while
    /// only.
    private static func meet(
        _ house: CallHouse, _ mode: LiveKitLikeProvider.Mode
    ) async throws -> (Call, Call, AsyncStream<CallEvent>.Iterator) {
        let ada = try await house.join("ada", mode: mode)
        let bob = try await house.join("bob", mode: mode)
        await bob.onRPC("ready") { _ in "" }
        var events = ada.events.makeAsyncIterator()
        let joined = await events.first { event -> Bool? in
            if case .participantJoined(let who) = event, who.identity == "bob" { true } else { nil }
        }
        #expect(joined == true)
        var isReady = false
        while !isReady {
            isReady = (try? await ada.performRPC(to: "bob", method: "ready", payload: "", timeout: 5)) != nil
        }
        return (ada, bob, bob.events.makeAsyncIterator())
    }

    @Test(arguments: modes) func aResumeLosesAndDoublesNothing(mode: LiveKitLikeProvider.Mode) async throws {
        try await CallHouse.with { house in
            var (ada, bob, heard) = try await Self.meet(house, mode)
            _ = await heard.next()
            for number in 0..<200 {
                if number == 60 { house.proxy.cut() }
                if number == 140 { house.proxy.cut() }
                try await ada.send(data: Array("\(number)".utf8), topic: "n")
            }
            var texts: [String] = []
            while texts.last != "199" {
                let text = await heard.first { event -> String? in
                    if case .dataReceived(let message, let from) = event, from?.identity == "ada" {
                        message.text
                    } else {
                        nil
                    }
                }
                texts.append(try #require(text))
            }
            #expect(texts == (0..<200).map(String.init))
            await ada.leave()
            await bob.leave()
        }
    }

    /// Somebody whose path swallows everything costs the server two megabytes, and the others nothing.
    @Test func whoReadsTooSlowlyMissesData() async throws {
        try await CallHouse.with { house in
            // Nor does she look for another path.
            var timeouts = SessionTimeouts()
            timeouts.impairment = 600
            let cleo = try await house.join("cleo", isRelayed: true, timeouts: timeouts)
            await cleo.onRPC("ready") { _ in "" }
            var (ada, bob, heard) = try await Self.meet(house, .singleConnection)
            _ = await heard.next()
            while (try? await ada.performRPC(to: "cleo", method: "ready", payload: "", timeout: 5)) == nil {}
            try await house.moveRelays()
            let text = String(repeating: "x", count: 49_900)
            let count = 120
            for number in 0..<count {
                try await ada.send(data: Array("\(number) \(text)".utf8), topic: "n")
                let message = await heard.first { event -> String? in
                    if case .dataReceived(let message, _) = event { message.text } else { nil }
                }
                #expect(message?.hasPrefix("\(number) ") == true)
            }
            let dropped = await house.server.statistics().dataMessagesDropped
            // Two mebibytes hold 41 or 42 of them.
            #expect((75...79).contains(dropped), "\(dropped)")
            await ada.leave()
            await bob.leave()
        }
    }

    @Test(arguments: modes) func lossyDataAndLongTextsArrive(mode: LiveKitLikeProvider.Mode) async throws {
        try await CallHouse.with { house in
            var (ada, bob, heard) = try await Self.meet(house, mode)
            _ = await heard.next()
            try await ada.send(data: [1, 2, 3], topic: "l", reliable: false, to: ["bob"])
            let lossy = await heard.first { event -> DataMessage? in
                if case .dataReceived(let message, _) = event { message } else { nil }
            }
            #expect(lossy == DataMessage(bytes: [1, 2, 3], topic: "l", isReliable: false))
            let long = String(repeating: "0123456789", count: 10_000)
            try await ada.sendText(long, topic: "story", attributes: ["a": "b"])
            let text = await heard.first { event -> TextMessage? in
                if case .textReceived(let text, let from) = event, from?.identity == "ada" { text } else { nil }
            }
            #expect(text == TextMessage(text: long, topic: "story", attributes: ["a": "b"]))
            await ada.leave()
            await bob.leave()
        }
    }

    /// The server's description says how long a message may be; in the other run it says LiveKit's own 65,535.
    @Test(arguments: [2_000, 65_535]) func theServersLimitOfAMessageHolds(limit: Int) async throws {
        try await CallHouse.with { house in
            let size = "\(limit)"
            house.proxy.rewrite(
                "max-message-size:65535",
                as: "max-message-size:" + String(repeating: "0", count: 5 - size.count) + size)
            var (ada, bob, heard) = try await Self.meet(house, .singleConnection)
            _ = await heard.next()
            let long = [UInt8](repeating: 7, count: 2_500)
            if limit < long.count {
                let error = await #expect(throws: CallError.self) { try await ada.send(data: long) }
                #expect(error?.fault == .caller && error?.message.contains("at most 2000 fit") == true)
            } else {
                try await ada.send(data: long)
            }
            try await ada.send(data: [UInt8](repeating: 8, count: 1_500))
            var lengths: [Int] = []
            while lengths.last != 1_500 {
                let length = await heard.first { event -> Int? in
                    if case .dataReceived(let message, _) = event { message.bytes.count } else { nil }
                }
                lengths.append(try #require(length))
            }
            #expect(lengths == (limit < long.count ? [1_500] : [2_500, 1_500]))
            await ada.leave()
            await bob.leave()
        }
    }

    @Test(arguments: modes) func methodsAreCalledBothWays(mode: LiveKitLikeProvider.Mode) async throws {
        try await CallHouse.with { house in
            let (ada, bob, _) = try await Self.meet(house, mode)
            await ada.onRPC("upper") { $0.payload.uppercased() + $0.callerIdentity }
            await bob.onRPC("fails") { _ in throw RPCError(code: 77, message: "no", data: "more") }
            // Never yields, and ends with its task.
            let (silence, breakSilence) = AsyncStream.makeStream(of: String.self)
            defer { breakSilence.finish() }
            await bob.onRPC("never") { _ in
                for await answer in silence { return answer }
                return ""
            }
            #expect(try await bob.performRPC(to: "ada", method: "upper", payload: "x") == "Xbob")
            await #expect(throws: RPCError(code: 77, message: "no", data: "more")) {
                try await ada.performRPC(to: "bob", method: "fails", payload: "")
            }
            await #expect(throws: RPCError.unsupportedMethod) {
                try await ada.performRPC(to: "bob", method: "unknown", payload: "")
            }
            await #expect(throws: RPCError.responseTimeout) {
                try await ada.performRPC(to: "bob", method: "never", payload: "", timeout: 1)
            }
            await #expect(throws: RPCError.recipientNotFound) {
                try await ada.performRPC(to: "nobody", method: "upper", payload: "")
            }
            await #expect(throws: RPCError.requestTooLarge) {
                try await ada.performRPC(to: "bob", method: "m", payload: String(repeating: "x", count: 15_361))
            }
            await #expect(throws: CallError.self) {
                try await ada.send(data: [UInt8](repeating: 0, count: 64_001))
            }
            await ada.leave()
            await bob.leave()
        }
    }
}
