import CallModel
import Testing

/// One device: the gate between the answer and the client, and what ends a ring.
@Suite struct IncomingRingTests {
    private static func offer(_ type: CallType = .video) -> RingOffer {
        RingOffer(
            callId: "c", conversationId: "v", callType: type, callerPersonId: "ada", callerName: "Ada",
            callStartTimestamp: .zero, ringsUntil: CallTime(milliseconds: 30_000))
    }

    private static func at(_ milliseconds: Int64) -> CallTime { CallTime(milliseconds: milliseconds) }

    /// In whatever order the device is unlocked, the application becomes active and the user authenticates: the client
    /// starts with the last of them, and once.
    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func theClientStartsWithTheLastOfThree(order: [Int]) {
        var actions: [IncomingRing.Action] = []
        var gate = AnswerGate(isLocked: true, isActive: false, isAuthenticated: false)
        var ring = IncomingRing(Self.offer(), gate: gate, at: .zero, into: &actions)
        ring.answer(at: Self.at(100), into: &actions)
        ring.receive(.granted(callId: "c"), at: Self.at(200), into: &actions)
        #expect(ring.state == .waitingForClient(until: Self.at(30_200)))
        for (number, step) in order.enumerated() {
            switch step {
            case 0: gate.isLocked = false
            case 1: gate.isActive = true
            default: gate.isAuthenticated = true
            }
            actions = []
            ring.deviceChanged(gate, at: Self.at(300 + Int64(number)), into: &actions)
            #expect(actions.contains(.startClient) == (number == 2))
        }
        // The application goes to the background again: what runs, runs.
        actions = []
        ring.deviceChanged(AnswerGate(isActive: false), at: Self.at(400), into: &actions)
        #expect(actions.isEmpty)
        ring.clientConnected(at: Self.at(900), into: &actions)
        #expect(actions == [.send(.connected(callId: "c")), .dismiss, .report(.connected)])
    }

    @Test func waitingForTheClientHasItsOwnTime() {
        var actions: [IncomingRing.Action] = []
        var ring = IncomingRing(Self.offer(), gate: AnswerGate(isAuthenticated: false), at: .zero, into: &actions)
        ring.answer(at: Self.at(100), into: &actions)
        ring.receive(.granted(callId: "c"), at: Self.at(200), into: &actions)
        #expect(actions.contains(.presentWaiting("the user has not authenticated")))
        actions = []
        ring.advance(to: Self.at(30_199), into: &actions)
        #expect(actions.isEmpty)
        ring.advance(to: Self.at(30_200), into: &actions)
        #expect(
            actions == [
                .send(.hangUp(callId: "c", .systemAbort)), .dismiss,
                .report(.clientTimedOut("the user has not authenticated")),
            ])
        // Over is over.
        actions = []
        ring.receive(.withdrawn(callId: "c", .ended), at: Self.at(40_000), into: &actions)
        ring.advance(to: Self.at(90_000), into: &actions)
        #expect(actions.isEmpty)
    }

    @Test func aCallRevokedAfterTheAnswer() {
        var actions: [IncomingRing.Action] = []
        var ring = IncomingRing(Self.offer(), gate: AnswerGate(), at: .zero, into: &actions)
        ring.answer(at: Self.at(100), into: &actions)
        ring.receive(.granted(callId: "c"), at: Self.at(200), into: &actions)
        actions = []
        ring.receive(.withdrawn(callId: "c", .ended), at: Self.at(300), into: &actions)
        #expect(actions == [.stopClient, .dismiss, .report(.endedAfterAnswer)])
    }

    @Test func aPushThatComesTooLateIsStillReported() {
        var actions: [IncomingRing.Action] = []
        let ring = IncomingRing(Self.offer(), gate: AnswerGate(), at: Self.at(30_000), into: &actions)
        #expect(ring.isFinished)
        #expect(actions == [.present(Self.offer()), .dismiss, .report(.missed(.timeout))])
    }

    @Test(
        arguments: [
            (.audio, 0, .callScreen), (.audio, 10_000, .callScreen), (.audio, nil, .callScreen),
            (.video, 0, .application), (.video, 3_000, .application), (.video, 3_001, .callScreen),
            (.video, nil, .callScreen),
        ] as [(CallType, Int64?, AnsweredScreen)])
    func whichScreenStays(type: CallType, unlockedAfter: Int64?, screen: AnsweredScreen) {
        #expect(AnsweredScreen.after(answering: type, unlockedAfter: unlockedAfter) == screen)
    }

    @Test func aQuickUnlockOpensTheApplicationOnce() {
        for (type, delay, asks) in [(CallType.video, Int64(1_000), 1), (.video, 5_000, 0), (.audio, 1_000, 0)] {
            var actions: [IncomingRing.Action] = []
            var gate = AnswerGate(isLocked: true, isActive: false)
            var ring = IncomingRing(Self.offer(type), gate: gate, at: .zero, into: &actions)
            ring.answer(at: Self.at(100), into: &actions)
            ring.receive(.granted(callId: "c"), at: Self.at(200), into: &actions)
            for locked in [false, true, false] {
                gate.isLocked = locked
                ring.deviceChanged(gate, at: Self.at(100 + delay), into: &actions)
            }
            #expect(actions.count { $0 == .requestActivation } == asks)
        }
    }

    @Test(
        arguments: [
            ("CH", true), ("CN", false), ("CHN", false), ("zh_CN", false), ("zh-Hans-CN", false), ("US", true),
            ("", true), ("cn", false), ("TW", true),
        ])
    func nativeCallScreens(region: String, supported: Bool) {
        #expect(NativeCallScreen.isSupported(region: region) == supported)
    }
}
