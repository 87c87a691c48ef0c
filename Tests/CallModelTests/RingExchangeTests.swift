import CallModel
import Testing

/// The scenarios of ringing, one after another in virtual time.
@Suite struct RingExchangeTests {
    /// A call with its journal; times are milliseconds.
    private struct Scene {
        var exchange: RingExchange
        var actions: [RingExchange.Action] = []
        let devices: [String: [String]]

        init(_ groups: [[String]], devices: [String: [String]], mandatory: Set<String> = []) {
            self.devices = devices
            exchange = RingExchange(
                RingRequest(callId: "c", conversationId: "v", groups: groups),
                record: CallRecord(
                    id: "c", conversationId: "v", serviceProviderCallId: "v", serviceProviderType: "LIVEKIT",
                    initiatorPersonId: "ada", callType: .audio),
                callerDevice: RingDevice(personId: "ada", deviceToken: "a"), mandatory: mandatory)
            let devices = devices
            exchange.initiate(at: .zero, devices: { devices[$0] ?? [] }, into: &actions)
        }

        mutating func say(_ command: RingCommand, _ person: String, _ token: String, at time: Int64) {
            let devices = devices
            exchange.receive(
                command, from: RingDevice(personId: person, deviceToken: token), at: CallTime(milliseconds: time),
                devices: { devices[$0] ?? [] }, into: &actions)
        }

        mutating func advance(_ time: Int64) {
            let devices = devices
            exchange.advance(
                to: CallTime(milliseconds: time), devices: { devices[$0] ?? [] }, into: &actions)
        }

        /// What a device was told.
        func heard(_ token: String) -> [String] {
            actions.compactMap {
                guard case .signal(let signal, let device) = $0, device.deviceToken == token else { return nil }
                switch signal {
                case .offer(let offer): return "offer \(offer.callState.rawValue)"
                case .granted: return "granted"
                case .refused(_, let reason): return "refused \(reason.rawValue)"
                case .withdrawn(_, let reason): return "withdrawn \(reason.rawValue)"
                case .progress(_, let phase): return phase.rawValue
                case .ended(_, let reason): return "ended \(reason.rawValue)"
                }
            }
        }

        var journal: [JournalEvent] {
            actions.compactMap { if case .journal(let event) = $0 { event } else { nil } }
        }

        /// The journal's event names, without what they all begin with, and what breaks a rule.
        var told: [String] {
            journal.map { event in
                let name = event.eventType.rawValue.split(separator: ".").suffix(2).joined(separator: ".")
                return [name, event.personId ?? event.recipient?.id].compactMap { $0 }.joined(separator: " ")
            }
        }

        func violations() -> [JournalViolation] {
            var checker = JournalChecker()
            return journal.flatMap { checker.check($0) } + checker.finish()
        }
    }

    private static let two = ["bob": ["b1", "b2"], "carol": ["c1"], "dave": ["d1"]]

    @Test func answeredOnOneOfTwoDevices() {
        var scene = Scene([["bob", "carol"]], devices: Self.two)
        scene.say(.answer(callId: "c"), "bob", "b2", at: 700)
        // Two devices answer: the later one is told so.
        scene.say(.answer(callId: "c"), "carol", "c1", at: 701)
        scene.say(.connected(callId: "c"), "bob", "b2", at: 900)
        scene.say(.connected(callId: "c"), "ada", "a", at: 1_200)
        scene.say(.hangUp(callId: "c", .hangUp), "bob", "b2", at: 5_000)
        #expect(scene.heard("b1") == ["offer CALLING", "withdrawn ANSWERED_ELSEWHERE"])
        #expect(scene.heard("b2") == ["offer CALLING", "granted", "withdrawn ENDED"])
        #expect(scene.heard("c1") == ["offer CALLING", "withdrawn ANSWERED_ELSEWHERE", "refused ANSWERED_ELSEWHERE"])
        #expect(scene.heard("a") == ["CALLING", "ACTIVE", "ended LAST_MANDATORY_PARTICIPANT_LEFT"])
        #expect(
            scene.told == [
                "call.initiated", "participant.joined ada", "push_notification.incoming_call bob",
                "push_notification.incoming_call carol", "participant.joined bob", "call.accepted",
                "push_notification.revoke_call bob", "push_notification.revoke_call carol", "participant.left carol",
                "participant.connected bob", "participant.connected ada", "call.established", "participant.left bob",
                "participant.left ada", "call.ended",
            ])
        #expect(scene.violations() == [])
        let record = scene.exchange.record
        #expect(record.ringMilliseconds == 700 && record.connectMilliseconds == 500)
        #expect(record.participations.map(\.leftReason) == [.callEnded, .hangUp, .missedBecauseTerminated])
    }

    @Test func forwardingAfterATimeoutThenNobody() {
        var scene = Scene([["bob"], ["dave"]], devices: Self.two)
        scene.advance(29_999)
        #expect(scene.exchange.phase == .calling)
        scene.advance(30_000)
        #expect(scene.exchange.phase == .forwarding)
        #expect(scene.heard("b1") == ["offer CALLING", "withdrawn TIMEOUT"])
        #expect(scene.heard("d1") == ["offer FORWARDING"])
        scene.say(.decline(callId: "c"), "dave", "d1", at: 31_000)
        #expect(scene.exchange.record.endReason == .notAnswered, "one of them let it ring")
        #expect(scene.heard("a") == ["CALLING", "FORWARDING", "ended NOT_ANSWERED"])
        #expect(
            scene.exchange.record.participations.map(\.leftReason) == [.callAborted, .missedBecauseTimeout, .hangUp])
        #expect(scene.violations() == [])
    }

    @Test func everybodyDeclines() {
        var scene = Scene([["bob"]], devices: Self.two)
        scene.say(.decline(callId: "c"), "bob", "b1", at: 500)
        #expect(scene.heard("b2") == ["offer CALLING", "withdrawn DECLINED_ELSEWHERE"])
        #expect(scene.exchange.record.endReason == .declined)
        #expect(scene.violations() == [])
    }

    @Test func nobodyCanBeReached() {
        var scene = Scene([["erin"]], devices: Self.two)
        #expect(scene.exchange.phase == .unavailable)
        scene.advance(5_000)
        #expect(scene.exchange.record.endReason == .declinedBecauseUnavailable)
        #expect(scene.heard("a") == ["UNAVAILABLE", "ended DECLINED_BECAUSE_UNAVAILABLE"])
        #expect(scene.violations() == [])
    }

    @Test func anAbortBeforeAndAfterTheAnswer() {
        var before = Scene([["bob"]], devices: Self.two)
        before.say(.abort(callId: "c"), "ada", "a", at: 400)
        before.say(.answer(callId: "c"), "bob", "b1", at: 401)
        #expect(before.exchange.record.endReason == .abortedByInitiator)
        #expect(before.heard("b1") == ["offer CALLING", "withdrawn ABORTED", "refused ENDED"])
        #expect(before.violations() == [])
        var after = Scene([["bob"]], devices: Self.two)
        after.say(.answer(callId: "c"), "bob", "b1", at: 400)
        after.say(.abort(callId: "c"), "ada", "a", at: 401)
        #expect(after.exchange.record.endReason == .lastMandatoryParticipantLeft)
        #expect(after.heard("b1") == ["offer CALLING", "granted", "withdrawn ENDED"], "revoked after the answer")
        #expect(after.violations() == [])
    }

    @Test func aClientThatNeverConnectsIsGivenUp() {
        var scene = Scene([["bob"]], devices: Self.two)
        scene.say(.answer(callId: "c"), "bob", "b1", at: 1_000)
        scene.say(.connected(callId: "c"), "ada", "a", at: 1_500)
        scene.advance(60_999)
        #expect(scene.exchange.phase == .active)
        scene.advance(61_000)
        #expect(scene.exchange.record.endReason == .lastMandatoryParticipantLeft)
        #expect(scene.exchange.record.participations.last?.leftReason == .systemAbort)
        #expect(scene.violations() == [])
    }

    @Test func theLastMandatoryOneLeavesWhileOthersStay() {
        var scene = Scene([["bob"]], devices: Self.two, mandatory: ["bob"])
        scene.say(.answer(callId: "c"), "bob", "b1", at: 10)
        scene.exchange.entered("eve", at: CallTime(milliseconds: 20), into: &scene.actions)
        scene.exchange.left("bob", .hangUp, at: CallTime(milliseconds: 30), into: &scene.actions)
        #expect(scene.exchange.record.endReason == .lastMandatoryParticipantLeft)
        #expect(scene.exchange.record.participations.map(\.leftReason) == [.callEnded, .hangUp, .callEnded])
        #expect(scene.violations() == [])
    }

    @Test func aLateDeviceRingsToo() {
        var scene = Scene([["bob"]], devices: ["bob": ["b1"]])
        let late = RingDevice(personId: "bob", deviceToken: "b9")
        scene.exchange.deviceArrived(late, at: CallTime(milliseconds: 5), into: &scene.actions)
        scene.say(.answer(callId: "c"), "bob", "b9", at: 50)
        #expect(scene.heard("b9") == ["offer CALLING", "granted"])
        // The word was lost with the line: it is said again.
        scene.exchange.deviceArrived(late, at: CallTime(milliseconds: 60), into: &scene.actions)
        #expect(scene.heard("b9") == ["offer CALLING", "granted", "granted"])
    }

    @Test func aTelephoneInTheCall() {
        var scene = Scene([["bob"]], devices: Self.two)
        scene.say(.answer(callId: "c"), "bob", "b1", at: 10)
        scene.exchange.dialInStarted(
            .init(provider: "VONAGE", id: "4711", number: "+41 44 000 00 00", start: .zero), of: "bob",
            at: CallTime(milliseconds: 20), into: &scene.actions)
        scene.exchange.left("bob", .dialInEnded, at: CallTime(milliseconds: 90), into: &scene.actions)
        let calls = scene.journal.filter { $0.dialInId == "4711" }
        #expect(calls.map(\.eventType) == [.dialInStarted, .dialInEnded])
        #expect(calls.last?.startTimestamp?.rawValue == 20 && calls.last?.endTimestamp?.rawValue == 90)
        #expect(scene.violations() == [])
    }
}
