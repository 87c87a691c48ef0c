import CallBridge
import Synchronization
import Testing

/// The journal of a call as its client sees it.
@Suite struct CallFollowerTests {
    private static let bob = Participant(
        id: "PA_bob", identity: "bob", tracks: [Track(id: "TR_1", kind: .audio, source: .microphone)])

    private static func follow(_ events: [CallEvent], followsOthers: Bool = true) -> CallJournal {
        let journal = CallJournal()
        let time = Atomic<Int64>(1_000)
        let descriptor = CallDescriptor(
            callId: "c", conversationId: "v", provider: .liveKit, serviceProviderCallId: "v",
            endpoint: "ws://127.0.0.1:1", credentials: .init(token: "t"), mediaKind: .audio)
        let scribe = CallScribe(CallFollower.record(descriptor, initiator: "ada"), journal: journal) {
            CallTime(milliseconds: time.add(10, ordering: .relaxed).newValue)
        }
        let follower = CallFollower(scribe, identity: "ada", followsOthers: followsOthers)
        follower.begin()
        for event in events { follower.note(event) }
        return journal
    }

    private static func told(_ journal: CallJournal) -> [String] {
        journal.events.map { event in
            let name = event.eventType.rawValue.split(separator: ".").suffix(2).joined(separator: ".")
            return event.personId.map { "\(name) \($0)" } ?? name
        }
    }

    @Test func aLossIsAGapAndNoEnd() {
        let journal = Self.follow([
            .mediaConnected(srtpProfile: "P", afterMilliseconds: 5), .participantJoined(Self.bob),
            .stateChanged(.reconnecting), .reconnected(gapMilliseconds: 249.6, .quick), .stateChanged(.active),
            .participantLeft(Self.bob, .removed), .ended(.conversationEnded, detail: "over"),
        ])
        #expect(
            Self.told(journal) == [
                "call.initiated", "participant.joined ada", "participant.connected ada", "participant.joined bob",
                "call.accepted", "participant.connected bob", "call.established", "call.reconnecting ada",
                "call.reconnected ada", "participant.left bob", "participant.left ada", "call.ended",
            ])
        #expect(journal.events.first { $0.eventType == .reconnected }?.gapMilliseconds == 250)
        #expect(journal.events.first { $0.eventType == .participantLeft }?.leftReason == .removed)
        #expect(journal.events.last?.endReason == .conversationEnded)
        #expect(journal.finish().violations == [])
    }

    @Test func whatOneSeesOfOneselfLeavesTheCallOpen() {
        let journal = Self.follow(
            [
                .mediaConnected(srtpProfile: "P", afterMilliseconds: 5), .participantJoined(Self.bob),
                .ended(.lastMandatoryParticipantLeft, detail: "we left"),
            ], followsOthers: false)
        #expect(
            Self.told(journal) == [
                "call.initiated", "participant.joined ada", "participant.connected ada", "participant.left ada",
            ])
        #expect(journal.finish().violations.count == 1, "somebody has to end it")
    }

    @Test func picturesMakeACallOneOfVideo() {
        var seen = Self.bob
        seen.tracks.append(Track(id: "TR_2", kind: .video, source: .camera))
        let journal = Self.follow([
            .participantJoined(Self.bob), .trackPublished(Self.bob.tracks[0], Self.bob),
            .trackPublished(seen.tracks[1], seen),
        ])
        let media = journal.events.filter { $0.eventType == .publicationChanged }
        #expect(media.map(\.publishedMedia) == [.audio, .audioVideo])
        #expect(media.map(\.callType) == [.audio, .video])
    }

    @Test func aRungCallIsToldOfPublicationsAndLosses() throws {
        let journal = CallJournal()
        let time = Atomic<Int64>(1_000)
        let hub = RingHub(journal: journal) { CallTime(milliseconds: time.add(10, ordering: .relaxed).newValue) }
        let (ada, bob) = (
            RingDevice(personId: "ada", deviceToken: "1"), RingDevice(personId: "bob", deviceToken: "1")
        )
        let lines = [try hub.attach(ada), try hub.attach(bob)]
        try hub.send(.place(RingRequest(callId: "c", conversationId: "v", groups: [["bob"]])), from: ada)
        try hub.send(.answer(callId: "c"), from: bob)
        let follower = CallFollower(hub, callId: "c", identity: "bob")
        follower.begin()
        for device in [ada, bob] { try hub.send(.connected(callId: "c"), from: device) }
        follower.publish(.audio)
        for event: CallEvent in [
            .mediaConnected(srtpProfile: "P", afterMilliseconds: 5), .participantJoined(Self.bob),
            .stateChanged(.reconnecting), .reconnected(gapMilliseconds: 80, .quick), .ended(.unknown, detail: ""),
        ] { follower.note(event) }
        hub.close()
        #expect(
            Self.told(journal) == [
                "call.initiated", "participant.joined ada", "push_notification.incoming_call", "participant.joined bob",
                "call.accepted", "participant.connected ada", "participant.connected bob", "call.established",
                "publication.changed bob", "call.reconnecting bob", "call.reconnected bob", "participant.left ada",
                "participant.left bob", "call.ended",
            ])
        #expect(journal.finish().violations == [])
        withExtendedLifetime(lines) {}
    }
}
