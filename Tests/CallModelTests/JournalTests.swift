import CallModel
import Foundation
import Synchronization
import Testing

/// The journal's lines, and the rules that it keeps.
@Suite struct JournalTests {
    /// A call of two, as a ledger writes it.
    private static func call() -> [JournalEvent] {
        var events: [JournalEvent] = []
        var ledger = CallLedger(
            CallRecord(
                id: "c", accountId: "acc", conversationId: "v", serviceProviderCallId: "r",
                serviceProviderType: "LIVEKIT", initiatorPersonId: "ada", callType: .audio))
        func at(_ time: Int64) -> CallTime { CallTime(milliseconds: time) }
        ledger.initiate(at: at(10), into: &events)
        ledger.ring("bob", devices: ["b1", "b2"], phase: .calling, callerName: "Ada", at: at(11), into: &events)
        ledger.join("bob", device: "b1", at: at(20), into: &events)
        ledger.revoke("bob", devices: ["b2"], phase: .calling, at: at(20), into: &events)
        ledger.connect("ada", at: at(30), into: &events)
        ledger.connect("bob", at: at(31), into: &events)
        ledger.publish(.audioVideo, by: "bob", at: at(32), into: &events)
        ledger.note(.reconnecting, person: "bob", at: at(40), into: &events)
        ledger.note(.reconnected, person: "bob", gapMilliseconds: 250, at: at(41), into: &events)
        ledger.leave("bob", .hangUp, at: at(50), into: &events)
        ledger.end(.lastMandatoryParticipantLeft, at: at(51), into: &events)
        return events
    }

    private static func violations(_ events: [JournalEvent]) -> Set<JournalRule> {
        var checker = JournalChecker()
        return Set((events.flatMap { checker.check($0) } + checker.finish()).map(\.rule))
    }

    @Test func aLineHasTheVendorsNames() throws {
        let events = Self.call()
        let left = try #require(events.first { $0.eventType == .participantLeft })
        let line = JournalFile.line(left)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "$_type", "eventType", "timestamp", "id", "callId", "accountId", "conversationId",
                "serviceProviderCallId", "serviceProviderType", "initiatorPersonId", "callType", "personId",
                "joinedTimestamp", "connectedTimestamp", "leftTimestamp", "leftReason",
            ])
        #expect(object["$_type"] as? String == "CallParticipantLeftEvent")
        #expect(object["eventType"] as? String == "conversation.call.participant.left")
        #expect(object["leftReason"] as? String == "HANG_UP" && object["leftTimestamp"] as? Int == 50)
        #expect(!line.contains("\n"))
    }

    @Test func linesRoundTrip() throws {
        let events = Self.call()
        let text = events.map(JournalFile.line).joined(separator: "\n") + "\n"
        #expect(try JournalFile.events(text) == events)
    }

    @Test(
        arguments: [
            ("{", "line 2 is no JSON object"), ("[]", "line 2 must be an object"),
            ("{\"eventType\":\"conversation.call.accepted\"}", "line 2: \"callId\" is missing"),
            ("{\"eventType\":\"nonsense\"}", "line 2: \"eventType\" has a value that no journal knows"),
        ])
    func aBrokenLineIsNamed(line: String, message: String) {
        let text = JournalFile.line(Self.call()[0]) + "\n" + line
        let error = #expect(throws: JournalFileError.self) { _ = try JournalFile.events(text) }
        #expect(error?.description == message)
    }

    @Test func aWrongFieldIsNamed() {
        let line = JournalFile.line(Self.call()[0]).replacing("\"timestamp\":10", with: "\"timestamp\":\"now\"")
        let error = #expect(throws: JournalFileError.self) { _ = try JournalFile.events(line) }
        #expect(error?.field == "timestamp" && error?.line == 1)
        #expect(error?.problem == "must be a whole number")
    }

    @Test func aWholeCallKeepsEveryRule() { #expect(Self.violations(Self.call()) == []) }

    /// Each rule is found broken where an event is missing, doubled or moved.
    @Test func everyRuleIsFoundBroken() {
        let call = Self.call()
        func index(_ type: JournalEventType) -> Int { call.firstIndex { $0.eventType == type } ?? 0 }
        func without(_ type: JournalEventType) -> Set<JournalRule> {
            var events = call
            events.remove(at: index(type))
            return Self.violations(events)
        }
        func doubled(_ type: JournalEventType) -> Set<JournalRule> {
            var events = call
            var copy = call[index(type)]
            copy.id += "'"
            events.insert(copy, at: index(type) + 1)
            return Self.violations(events)
        }
        #expect(without(.initiated).contains(.initiatedOnceAndFirst))
        #expect(doubled(.initiated).contains(.initiatedOnceAndFirst))
        #expect(without(.ended).contains(.endedOnceAndLast))
        #expect(doubled(.ended).contains(.endedOnceAndLast))
        #expect(without(.established).contains(.establishedByTwo))
        #expect(doubled(.established).contains(.establishedByTwo))
        #expect(without(.participantLeft).contains(.oneLeftPerJoined))
        #expect(doubled(.participantLeft).contains(.oneLeftPerJoined))
        #expect(doubled(.participantJoined).contains(.personInOrder))
        #expect(doubled(.participantConnected).contains(.personInOrder))
        #expect(without(.accepted).contains(.acceptedByJoining))
        #expect(doubled(.accepted).contains(.acceptedByJoining))
        #expect(without(.revokeCall).contains(.oneOutcomePerRing))
        #expect(doubled(.revokeCall).contains(.oneOutcomePerRing))
        #expect(without(.incomingCall).contains(.oneOutcomePerRing))
        #expect(doubled(.incomingCall).contains(.oneOutcomePerRing))
        #expect(without(.reconnecting).contains(.reconnectionInOrder))
        #expect(doubled(.reconnecting).contains(.reconnectionInOrder))
        // Two lose their media at the same time: each one's return is its own.
        var losses = call
        var others: [JournalEvent] = []
        for type in [JournalEventType.reconnecting, .reconnected] {
            var event = call[index(type)]
            event.personId = "ada"
            event.id += "-ada"
            others.append(event)
        }
        losses.insert(others[0], at: index(.reconnecting) + 1)
        losses.insert(others[1], at: index(.reconnected) + 2)
        #expect(Self.violations(losses) == [])
        losses.removeAll { $0.id == others[0].id }
        #expect(Self.violations(losses) == [.reconnectionInOrder])
        var late = call
        late[3].timestamp = .zero
        #expect(Self.violations(late).contains(.monotoneTimes))
        var twin = call
        twin[3].id = twin[2].id
        #expect(Self.violations(twin).contains(.uniqueIDs))
        var bare = call
        bare[index(.ended)].endReason = nil
        #expect(Self.violations(bare).contains(.completeFields))
    }

    /// Two calls of one conversation at a time: what happens in it might be written into either.
    @Test func aConversationHasOneCallAtATime() {
        let first = Self.call()
        let second = first.map { event in
            var event = event
            event.callId = "d"
            event.id = "d" + event.id
            return event
        }
        #expect(Self.violations(first + second) == [])
        #expect(Self.violations(zip(first, second).flatMap { [$0, $1] }) == [.oneCallPerConversation])
        let elsewhere = second.map { event in
            var event = event
            event.conversationId = "w"
            return event
        }
        #expect(Self.violations(zip(first, elsewhere).flatMap { [$0, $1] }) == [])
    }

    @Test func aViolationIsAnEvent() {
        let journal = CallJournal()
        var events = Self.call()
        events.remove(at: events.count - 2)
        journal.write(events)
        let summary = journal.finish()
        #expect(summary.violations.count == 1 && summary.events == events.count + 1)
        #expect(journal.events.last?.eventType == .violation)
        #expect(journal.events.last?.rule == .oneLeftPerJoined)
        // A journal that notes violations of its own is no worse for it when read again.
        #expect(Self.violations(journal.events) == [.oneLeftPerJoined])
    }

    @Test func theClockCountsFromItsFirstReading() {
        let first = CallTime.now
        let wall = Int64(Date().timeIntervalSince1970 * 1000)
        #expect(abs(first.milliseconds(since: CallTime(milliseconds: wall))) < 60_000)
        #expect(CallTime.now >= first)
    }

    @Test func aFileGetsEveryLine() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID()).jsonl").path
        let journal = try CallJournal(path: path)
        journal.write(Self.call())
        #expect(journal.finish() == CallJournal.Summary(events: Self.call().count, violations: []))
        #expect(try JournalFile.events(String(contentsOfFile: path, encoding: .utf8)) == Self.call())
        #expect(throws: JournalOutputError.self) { _ = try CallJournal(path: "/nowhere/at/all.jsonl") }
    }

    @Test func aDiskThatIsFullIsNamedOnce() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try Self.fullDevice(in: folder.path)
        let told = Mutex<[JournalOutputError]>([])
        let journal = try CallJournal(path: path) { failure in told.withLock { $0.append(failure) } }
        for event in Self.call() { journal.write(event) }
        let failure = try #require(journal.failure)
        #expect(failure.path == path && failure.problem.contains("No space left"))
        #expect(told.withLock { $0 } == [failure])
        #expect(journal.finish().failure == failure.description)
        #expect(journal.finish().events == Self.call().count)
        // Nothing was put in the device's place.
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    /// The device on which nothing fits, 1:7: of our own where we may make one, so that nothing else can be in its place.
    private static func fullDevice(in folder: String) throws -> String {
        let own = folder + "/full"
        let number = dev_t(1 << 8 | 7)
        let isMade = mknod(own, S_IFCHR | 0o600, number) == 0 && FileHandle(forWritingAtPath: own) != nil
        let path = isMade ? own : "/dev/full"
        var status = stat()
        let isDevice = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == number
        try #require(
            isDevice, "\(path) is not the full device 1:7 of Linux; put it back with: mknod -m 666 /dev/full c 1 7")
        return path
    }
}
