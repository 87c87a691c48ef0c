import LiveKitProtocol
import RTCWire
import RoomModel
import Testing

@testable import CallServer

/// Messages in, messages out: no socket, no clock.
@Suite struct DialectMessageTests {
    /// Has somebody announce and send a track, and gives its sid.
    private func publish(
        _ type: Livekit_TrackType, by id: String, in room: inout DialectFixture
    ) throws -> String {
        room.say(
            .with { $0.addTrack = .with { ($0.cid, $0.type, $0.source) = ("c-\(type)", type, .microphone) } }, from: id)
        let answer = try #require(room.drain(id).last)
        let sid = answer.trackPublished.track.sid
        #expect(answer.trackPublished.cid == "c-\(type)" && sid.hasPrefix("TR_"))
        room.publish(sid, by: id)
        return sid
    }

    @Test func theOthersLearnOfWhoPublishesAtOnceAndOfTheRestLater() throws {
        var room = DialectFixture("a", "b")
        room.enter(id: "PA_c", DialectFixture.ticket("c"))
        let joined = room.drain("PA_c")
        #expect(joined.first?.join.otherParticipants.map(\.identity) == ["a", "b"])
        #expect(joined.first?.join.participant.identity == "c")
        room.perform(.activate("PA_c"))
        #expect(room.drain("PA_c").updates.map { $0.map(\.state) } == [[.active]], "itself at once")
        #expect(room.drain("PA_a").updates.isEmpty)
        room.advance(by: .seconds(3))
        #expect(room.drain("PA_a").updates.map { $0.map(\.sid) } == [["PA_c"]])
        _ = try publish(.audio, by: "PA_b", in: &room)
        #expect(room.drain("PA_a").updates.map { $0.map(\.sid) } == [["PA_b"]])
    }

    @Test func whatIsMutedIsSaidByTheRoomAlone() throws {
        var room = DialectFixture("a", "b")
        let sid = try publish(.audio, by: "PA_a", in: &room)
        _ = room.drain("PA_b")
        let mute = Livekit_SignalRequest.with { $0.mute = .with { ($0.sid, $0.muted) = (sid, true) } }
        room.say(mute, from: "PA_a")
        #expect(room.drain("PA_b").updates.last?.last?.tracks.map(\.muted) == [true])
        room.say(mute, from: "PA_b")
        #expect(room.drain("PA_b").last?.requestResponse.reason == .notFound, "somebody else's track")
        room.perform(.orderMute(sid, false))
        let told = room.drain("PA_a")
        #expect(told.contains { $0.mute.sid == sid && !$0.mute.muted })
        #expect(room.drain("PA_b").updates.last?.last?.tracks.map(\.muted) == [false])
    }

    @Test func aTrackIsRefusedWithItsReason() {
        var room = DialectFixture("a")
        var permissions = Permissions()
        permissions.sources = [.camera]
        room.perform(.change("PA_a", ParticipantChange(permissions: permissions), by: .administrator))
        _ = room.drain("PA_a")
        func refusal(_ change: (inout Livekit_AddTrackRequest) -> Void) -> Livekit_RequestResponse.Reason? {
            var request = Livekit_AddTrackRequest.with { $0.cid = "c" }
            change(&request)
            room.say(.with { $0.addTrack = request }, from: "PA_a")
            return room.drain("PA_a").last?.requestResponse.reason
        }
        #expect(refusal { $0.source = .microphone } == .notAllowed)
        #expect(refusal { $0.type = .data } == .unsupportedType)
        #expect(refusal { $0.sid = "TR_none" } == .notFound)
        #expect(refusal { $0.name = String(repeating: "x", count: 1_000) } == .limitExceeded)
    }

    @Test func announcedTracksEndWithTheRightToPublishThem() throws {
        var room = DialectFixture("a")
        room.say(.with { $0.addTrack = .with { ($0.cid, $0.source) = ("c", .microphone) } }, from: "PA_a")
        let sid = try #require(room.drain("PA_a").last).trackPublished.track.sid
        var permissions = Permissions()
        permissions.canPublish = false
        room.perform(.change("PA_a", ParticipantChange(permissions: permissions), by: .administrator))
        #expect(room.drain("PA_a").last?.trackUnpublished.trackSid == sid)
        #expect(room.dialect.tracks.announced(by: "PA_a").isEmpty)
    }

    @Test func whoHidesIsGoneForTheOthersAlone() throws {
        var room = DialectFixture("a", "b")
        var permissions = Permissions()
        permissions.isHidden = true
        room.perform(.change("PA_a", ParticipantChange(permissions: permissions), by: .administrator))
        #expect(room.drain("PA_b").updates.map { $0.map(\.state) } == [[.disconnected]])
        #expect(room.drain("PA_a").updates.last?.last?.permission.hidden == true)
        room.enter(id: "PA_c", DialectFixture.ticket("c"))
        #expect(room.drain("PA_c").first?.join.otherParticipants.map(\.identity) == ["b"])
    }

    @Test func departuresAreSaidWithTheirReasonAndObserved() throws {
        var room = DialectFixture("a", "b")
        let sid = try publish(.audio, by: "PA_a", in: &room)
        _ = room.drain("PA_b")
        room.perform(.leave("PA_a", .mediaLost))
        let info = try #require(room.drain("PA_b").updates.last?.last)
        #expect(info.state == .disconnected && info.disconnectReason == .connectionTimeout)
        guard case .trackUnpublished(let track, _)? = room.observedLately(1),
            case .participantLeft(let gone)? = room.observedLately(0)
        else {
            Issue.record("not observed")
            return
        }
        #expect(track.sid == sid && gone.sid == "PA_a")
    }

    @Test(arguments: DepartureReason.allCases) func everyReasonHasItsWord(_ reason: DepartureReason) {
        #expect(Livekit_DisconnectReason(reason) != .unknownReason)
        let others = DepartureReason.allCases.filter { $0 != reason }
        #expect(others.allSatisfy { Livekit_DisconnectReason($0) != Livekit_DisconnectReason(reason) })
    }

    @Test func metadataChangesAreAnsweredFromProtocol15() {
        for (number, answers) in [(Int32(14), 0), (15, 1)] {
            var room = DialectFixture("b")
            room.enter(id: "PA_a", DialectFixture.ticket("a", protocol: number))
            _ = room.drain("PA_a")
            room.say(.with { $0.updateMetadata = .with { ($0.name, $0.requestID) = ("A", 5) } }, from: "PA_a")
            let told = room.drain("PA_a")
            #expect(told.updates.last?.last?.name == "A")
            #expect(told.count { if case .requestResponse = $0.message { true } else { false } } == answers)
        }
    }

    @Test func onlySomeOfWhatOldClientsCantReadIsSaid() {
        var room = DialectFixture()
        room.enter(id: "PA_a", DialectFixture.ticket("a", protocol: 4))
        _ = room.drain("PA_a")
        room.tell(.quality([ConnectionRating(participant: "PA_a", score: 10)], to: "PA_a"))
        #expect(room.drain("PA_a").isEmpty)
        #expect(Livekit_LeaveRequest(.unknownReason, .resume, protocol: 12) == nil)
        #expect(Livekit_LeaveRequest(.unknownReason, .reconnect, protocol: 12)?.canReconnect == true)
        #expect(Livekit_LeaveRequest(.unknownReason, .resume, protocol: 13)?.action == .resume)
    }

    @Test func tracksOfOtherDialectsAreDescribedToo() throws {
        var room = DialectFixture("a")
        room.perform(.join(RoomParticipant(id: "other", identity: "o", joinedAt: 9_000)))
        let media = TrackMedia(codec: "VP8", layers: [FrameSize(width: 640, height: 360)], group: "cam")
        let track = PublishedTrack(
            id: "stream", kind: .video, source: .camera, name: "n", isMuted: false, media: media)
        room.perform(.publish(track, by: "other"))
        let told = room.drain("PA_a")
        let info = try #require(told.updates.last?.last?.tracks.first)
        #expect(info.sid == "stream" && info.mimeType == "video/VP8" && info.width == 640 && info.source == .camera)
        #expect(told.contains { $0.subscriptionPermissionUpdate.allowed })
        room.perform(.leave("other", .left))
        #expect(room.drain("PA_a").updates.last?.last?.state == .disconnected)
        #expect(room.heard.isEmpty, "nobody says anything to somebody who speaks another dialect")
    }

    @Test func unknownTracksAreAnsweredAndBounded() {
        var room = DialectFixture("a")
        let names = (0..<200).map { "TR_\($0)" }
        room.say(.with { $0.subscription = .with { ($0.trackSids, $0.subscribe) = (names, true) } }, from: "PA_a")
        let told = room.drain("PA_a")
        #expect(told.count == RequestBounds.answers)
        #expect(told.allSatisfy { $0.subscriptionResponse.err == .seTrackNotfound })
    }
}

extension DialectFixture {
    /// Counted from the last one.
    fileprivate func observedLately(_ index: Int) -> RoomObservation? {
        observed.indices.contains(observed.count - 1 - index) ? observed[observed.count - 1 - index] : nil
    }
}
