import OpenTokSignalling
import RTCWire
import Testing

@testable import OpenTokClient

@Suite struct SessionTests {
    // MARK: Signals

    @Test func signalsGoToAllOrToSome() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        let content = SignalContent(type: "chat", data: "hello")
        stage.command(.signal(content, to: nil), 1)
        stage.command(.signal(content, to: ["a", "b"]), 2)
        stage.command(.signal(content, to: []), 3)
        #expect(stage.takeEvents() == ["done 1", "done 2", "done 3"])
        let receivers = stage.requests.map { request -> String in
            guard case .signal(let to, _, content) = request else { return "something else" }
            return to ?? "all"
        }
        #expect(receivers == ["all", "a", "b"])
    }

    @Test func aSignalThatOneReceiverCantHaveFails() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.answering = { if case .signal("b"?, _, _) = $0 { .refused(.notFound) } else { .done } }
        stage.command(.signal(SignalContent(data: "x"), to: ["a", "b", "c"]), 1)
        #expect(stage.takeEvents() == ["failed 1 1550"])
        #expect(stage.machine.signals.isEmpty)
    }

    @Test(arguments: [
        (128, 8192, "done 1"), (129, 0, "failed 1 1461"), (0, 8193, "failed 1 1413"),
    ])
    func signalsHaveLimits(_ type: Int, _ data: Int, _ outcome: String) throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        let content = SignalContent(
            type: type > 0 ? String(repeating: "t", count: type) : nil, data: String(repeating: "d", count: data))
        stage.command(.signal(content, to: nil), 1)
        #expect(stage.takeEvents() == [outcome])
    }

    @Test func aSignalsTypeIsAWord() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.command(.signal(SignalContent(type: "two words"), to: nil), 1)
        #expect(stage.takeEvents() == ["failed 1 1461"])
        #expect(stage.requests.isEmpty)
    }

    @Test func signalsOfTheServerComeFromNobody() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.tell(.signal(id: "1", SignalContent(data: "x")))
        stage.tell(.signal(id: "2", SignalContent(data: "y")), from: "me")
        #expect(stage.takeEvents() == ["signal x of server", "signal y of me"])
    }

    // MARK: Roles

    @Test(arguments: [
        (OpenTokRole.subscriber, [1500, 1550, 1520, 1530, 1540, 1540]),
        (.publisherOnly, [0, 1550, 1520, 1530, 1540, 1540]), (.publisher, [0, 0, 1520, 1530, 1540, 1540]),
        (.moderator, [0, 0, 0, 0, 0, 0]),
    ])
    func aRoleAllowsWhatItAllows(_ role: OpenTokRole, _ codes: [Int]) throws {
        let commands: [ClientCommand] = [
            .publish(.sound("s")), .signal(SignalContent(data: "x"), to: nil), .forceDisconnect(connection: "a"),
            .forceUnpublish(stream: "t"), .forceMuteStream("t"), .forceMuteAll(ForceMute(isActive: true)),
        ]
        var stage = try ClientStage.joined(.relayed, role: role)
        _ = stage.takeEvents()
        for (index, command) in commands.enumerated() {
            stage.command(command, CommandID(index))
            let failures = stage.takeEvents().filter { $0.hasPrefix("failed") }
            #expect(failures == (codes[index] == 0 ? [] : ["failed \(index) \(codes[index])"]), "\(command)")
        }
        #expect(stage.requests.count == codes.count { $0 == 0 }, "what is not allowed is not even asked for")
    }

    @Test func aRefusalOfTheServerHasItsNumber() throws {
        var stage = try ClientStage.joined(role: .moderator)
        _ = stage.takeEvents()
        stage.answering = { _ in .refused(.notFound) }
        stage.command(.forceDisconnect(connection: "a"), 1)
        stage.command(.forceUnpublish(stream: "s"), 2)
        stage.command(.forceMuteStream("s"), 3)
        #expect(stage.takeEvents() == ["failed 1 1520", "failed 2 1530", "failed 3 1540"])
    }

    // MARK: The end

    @Test func whoLeavesClosesEverything() throws {
        var stage = try ClientStage.joined(.relayed)
        stage.command(.publish(.sound("s")), 1)
        stage.tell(.negotiate(.subscriber(stream: "s", id: "x"), .generateOffer), from: "a")
        _ = stage.takeOutputs()
        stage.handle(.leave)
        let outputs = stage.takeOutputs()
        #expect(outputs.compactMap(\.summary) == ["failed 1 1010", "end left"])
        #expect(outputs.compactMap(\.peerSummary) == ["s<x: close"])
        #expect(stage.lastClose == 1000)
        stage.handle(.peer(.connected, .subscriber(stream: "s", id: "x")))
        stage.handle(.leave)
        #expect(stage.takeOutputs().isEmpty, "nothing follows the end")
    }

    @Test(arguments: RaptorReason.allCases) func whoIsSentAwayLearnsWhy(_ reason: RaptorReason) throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.serve { $0.remove(reason, into: &$1) }
        stage.tell(.connectionDeleted(id: "me", .clientDisconnected))
        stage.run(.seconds(1))
        #expect(stage.takeEvents() == ["end removed \(reason.rawValue)"])
    }

    @Test(arguments: [(1000, "end closed"), (1001, "end closed"), (1011, "end lost")])
    func someCodesOfASocketAreAnEnd(_ code: Int, _ end: String) throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.breakSocket(code: code)
        #expect(stage.takeEvents() == [end])
    }

    @Test func aCommandThatIsNotAnsweredFails() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.answering = { _ in nil }
        stage.command(.signal(SignalContent(data: "x"), to: nil), 1)
        stage.run(.seconds(14))
        #expect(stage.takeEvents().isEmpty)
        stage.run(.seconds(2))
        #expect(stage.takeEvents() == ["failed 1 1550"])
    }

    @Test func beforeTheSessionIsConnectedNothingCanBeDone() throws {
        var stage = try ClientStage()
        stage.command(.publish(.sound("s")), 1)
        #expect(stage.takeEvents() == ["failed 1 1010"])
    }

    @Test func archivesAreToldOf() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.tell(.archiveCreated(RaptorArchive(id: "x", status: .started)))
        stage.tell(.archiveUpdated(RaptorArchive(id: "x", status: .stopped)))
        #expect(stage.takeEvents() == ["archive started", "archive stopped"])
    }
}
