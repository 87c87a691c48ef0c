import LiveKitProtocol
import OpenTokSignalling
import RTCWire
import RoomModel
import Testing

@testable import CallServer

/// One room in two dialects, as values: what one does is said to the others in their own words.
@Suite struct CrossDialectTests {
    private static let stream = RaptorStream(
        id: "s", name: "cam",
        channels: [
            RaptorChannel(id: "audio1", kind: .audio, .init(isActive: true)),
            RaptorChannel(id: "video1", kind: .video, .init(isActive: true, width: 1280, height: 720)),
        ])

    private static func track(_ id: String, _ source: TrackSource, isMuted: Bool = false) -> PublishedTrack {
        let isVideo = source == .camera || source == .screenShare
        return PublishedTrack(
            id: id, kind: isVideo ? .video : .audio, source: source, name: "n", isMuted: isMuted,
            media: TrackMedia(
                codec: isVideo ? "VP8" : "opus",
                layers: isVideo ? [FrameSize(width: 320, height: 180), FrameSize(width: 640, height: 360)] : []))
    }

    private static var meeting: CrossRoom {
        var room = CrossRoom()
        room.joinOpenTok("c1", data: #"{"identity":"otto","name":"Otto"}"#)
        room.joinLiveKit("lea") { $0.name = "Lea" }
        room.forget()
        return room
    }

    // MARK: LiveKit's people in a session

    @Test func aParticipantIsAConnectionAndEachTrackAStream() throws {
        var room = Self.meeting
        room.perform(.publish(Self.track("TR_mic", .microphone), by: "PA_lea"))
        room.perform(.publish(Self.track("TR_screen", .screenShare, isMuted: true), by: "PA_lea"))
        guard case .state(let state) = room.ask("c1", .readState) else {
            Issue.record("no state")
            return
        }
        #expect(state.connections.map(\.id) == ["c1", "PA_lea"])
        #expect(state.connections[1].data == #"{"identity":"lea","name":"Lea"}"#)
        let told = room.hearsOpenTok("c1").compactMap { event -> RaptorStream? in
            if case .streamCreated(let stream) = event { stream } else { nil }
        }
        #expect(told == state.streams)
        #expect(told.map(\.id) == ["TR_mic", "TR_screen"] && told.allSatisfy { $0.connection == "PA_lea" })
        let screen = try #require(told.last?.channels.first)
        #expect(screen.id == "video1" && screen.properties.source == .screen)
        #expect(screen.properties.isActive == false && screen.properties.width == 640)
        guard case .streams(let list) = room.command({ .streams(session: $0) }) else {
            Issue.record("no list")
            return
        }
        #expect(list.map(\.id) == ["TR_mic", "TR_screen"] && list.map(\.videoType) == [.camera, .screen])
    }

    @Test func whoWasThereBeforeIsSeenByWhoComesLater() {
        var room = CrossRoom()
        room.joinLiveKit("lea")
        room.perform(.publish(Self.track("TR_mic", .microphone), by: "PA_lea"))
        room.joinOpenTok("c1")
        guard case .state(let state) = room.ask("c1", .readState) else {
            Issue.record("no state")
            return
        }
        #expect(Set(state.connections.map(\.id)) == ["c1", "PA_lea"] && state.streams.map(\.id) == ["TR_mic"])
        #expect(
            room.notices.map { $0.summary } == [
                "sessionCreated", "connectionCreated", "streamCreated", "connectionCreated",
            ])
    }

    @Test func muteAndEndsAreToldOnce() {
        var room = Self.meeting
        room.perform(.publish(Self.track("TR_mic", .microphone), by: "PA_lea"))
        room.perform(.publish(Self.track("TR_cam", .camera), by: "PA_lea"))
        room.forget()
        room.perform(.mute("TR_cam", true))
        room.perform(.unpublish("TR_cam", .ended))
        room.perform(.leave("PA_lea", .signallingLost))
        #expect(
            room.hearsOpenTok("c1") == [
                .streamUpdated(stream: "TR_cam", channel: "video1", .init(isActive: false)),
                .streamDeleted(id: "TR_cam", .clientDisconnected), .streamDeleted(id: "TR_mic", .networkDisconnected),
                .connectionDeleted(id: "PA_lea", .networkDisconnected),
            ])
    }

    @Test func whoIsHiddenIsNotSeen() {
        var room = Self.meeting
        room.joinLiveKit("eve") { $0.permissions.isHidden = true }
        room.perform(.publish(Self.track("TR_e", .microphone), by: "PA_eve"))
        #expect(room.hearsOpenTok("c1").isEmpty)
        var open = Permissions()
        open.isHidden = false
        room.perform(.change("PA_eve", ParticipantChange(permissions: open), by: .administrator))
        #expect(room.hearsOpenTok("c1").count == 2, "connection and stream")
        open.isHidden = true
        room.perform(.change("PA_eve", ParticipantChange(permissions: open), by: .administrator))
        #expect(
            room.hearsOpenTok("c1") == [
                .streamDeleted(id: "TR_e", .clientDisconnected),
                .connectionDeleted(id: "PA_eve", .clientDisconnected),
            ])
        #expect(room.openTok.tracks(of: "TR_e", in: room.machine).isEmpty)
    }

    // MARK: Moderation

    @Test func forceMuteOfATrackIsAnOrderToItsPublisher() {
        var room = Self.meeting
        room.joinOpenTok("mod", .moderator)
        room.perform(.publish(Self.track("TR_mic", .microphone), by: "PA_lea"))
        room.perform(.publish(Self.track("TR_cam", .camera), by: "PA_lea"))
        room.forget()
        #expect(room.ask("mod", .forceMute(ForceMute(isActive: true))) == .done)
        #expect(room.machine.track("TR_mic")?.isMuted == true)
        let orders = room.hears("lea").compactMap { response -> String? in
            if case .mute(let mute) = response.message { mute.sid } else { nil }
        }
        #expect(orders.contains("TR_mic"))
        let channel = RaptorEvent.streamUpdated(stream: "TR_mic", channel: "audio1", .init(isActive: false))
        #expect(room.hearsOpenTok("c1").filter { $0 == channel }.count == 1)
        // While it is active, what comes is muted too.
        room.perform(.unpublish("TR_mic", .ended))
        room.perform(.publish(Self.track("TR_two", .microphone), by: "PA_lea"))
        #expect(room.machine.track("TR_two")?.isMuted == true)
    }

    @Test func aModeratorEndsStreamsAndSendsAway() {
        var room = Self.meeting
        room.joinOpenTok("mod", .moderator)
        room.perform(.publish(Self.track("TR_cam", .camera), by: "PA_lea"))
        room.forget()
        #expect(room.ask("c1", .unpublish(stream: "TR_cam")) == .refused(.forbidden))
        #expect(room.ask("mod", .unpublish(stream: "TR_cam")) == .done)
        #expect(room.machine.track("TR_cam") == nil)
        #expect(room.hearsOpenTok("c1") == [.streamDeleted(id: "TR_cam", .forceUnpublished)])
        #expect(room.ask("c1", .forceDisconnect(connection: "PA_lea")) == .refused(.forbidden))
        #expect(room.command { .forceDisconnect(session: $0, connection: "PA_lea") }.isDone)
        #expect(room.machine.participant("PA_lea") == nil)
        #expect(room.hearsOpenTok("c1") == [.connectionDeleted(id: "PA_lea", .forceDisconnected)])
    }

    /// Nobody ends another's track by a stream of its own with that name.
    @Test func aStreamWithATracksNameIsNotTheTrack() {
        var bounds = OpenTokSession.Bounds()
        bounds.connections = 1
        var room = CrossRoom(bounds: bounds)
        room.joinOpenTok("c1")
        room.joinLiveKit("lea")
        room.perform(.publish(Self.track("TR_mic", .microphone), by: "PA_lea"))
        var stream = Self.stream
        stream.id = "TR_mic"
        #expect(room.ask("c1", .publish(stream)) == .done, "the session is full, and doesn't show the other one")
        #expect(room.openTok.tracks(of: "TR_mic", in: room.machine).isEmpty)
        room.forget()
        room.perform(.mute("TR_mic", true))
        #expect(room.hearsOpenTok("c1").isEmpty)
        #expect(room.ask("c1", .unpublish(stream: "TR_mic")) == .done)
        #expect(room.machine.track("TR_mic") != nil)
    }

    // MARK: A session's people in LiveKit's words

    @Test func aConnectionIsAParticipantWithTracks() throws {
        var room = Self.meeting
        room.publish(Self.stream, by: "c1")
        let infos = room.hears("lea").updates.flatMap(\.self).filter { $0.identity == "otto" }
        let info = try #require(infos.last)
        #expect(info.name == "Otto" && info.sid == "PA_of_c1" && info.state == .active)
        #expect(info.metadata == #"{"identity":"otto","name":"Otto"}"#)
        #expect(info.tracks.map(\.source) == [.microphone, .camera] && info.tracks.allSatisfy { !$0.muted })
        #expect(info.tracks[1].width == 1280 && info.tracks[1].layers.map(\.height) == [180, 360, 720])
        #expect(info.tracks.allSatisfy { $0.stream == "s" && $0.name == "cam" })
        room.ask("c1", .updateStream(stream: "s", channel: "audio1", .init(isActive: false)))
        let muted = try #require(room.hears("lea").updates.last?.first)
        #expect(muted.tracks.map(\.muted) == [true, false])
        let joined = room.observed.filter { if case .trackPublished = $0 { true } else { false } }
        #expect(joined.count == 2)
    }

    @Test func aScreenIsAScreen() throws {
        var room = Self.meeting
        var stream = Self.stream
        stream.channels[1].properties.source = .screen
        room.publish(stream, by: "c1")
        #expect(room.machine.roster["PA_of_c1"]?.tracks.map(\.source) == [.screenShareAudio, .screenShare])
    }

    @Test func theIdentityIsTheOneOfTheDataWhereItIsFree() {
        var room = CrossRoom()
        room.joinLiveKit("lea")
        let cases = [
            ("c1", "ada", "ada", "ada"), ("c2", "ada", "c2", "ada"), ("c3", "", "c3", ""),
            ("c4", #"{"identity":"lea"}"#, "c4", "lea"), ("c5", #"{"name":"Nora"}"#, "c5", "Nora"),
            ("c6", String(repeating: "x", count: 300), "c6", ""),
        ]
        for (connection, data, identity, name) in cases {
            room.joinOpenTok(connection, data: data)
            let record = room.machine.participant("PA_of_\(connection)")
            #expect(record?.identity == identity && record?.name == name && record?.metadata == data, "\(connection)")
        }
        #expect(room.machine.roster.participants.count == 7)
    }

    @Test func theRoomsOwnOrderReachesThePublisher() {
        var room = Self.meeting
        room.publish(Self.stream, by: "c1")
        room.forget()
        room.perform(.orderMute("TR_s_a", true))
        #expect(
            room.hearsOpenTok("c1") == [
                .streamMuted("s"), .streamUpdated(stream: "s", channel: "audio1", .init(isActive: false)),
            ])
        room.perform(.unpublish("TR_s_v", .removed))
        #expect(room.hearsOpenTok("c1") == [.streamDeleted(id: "s", .forceUnpublished)])
        #expect(room.machine.roster["PA_of_c1"]?.tracks.isEmpty == true, "the stream is one")
    }

    @Test func aRecorderIsHiddenFromBoth() {
        var room = Self.meeting
        room.joinOpenTok("rec", .subscriber, data: "archive=1", isRecorder: true)
        #expect(room.hears("lea").updates.isEmpty && room.hearsOpenTok("c1").isEmpty)
        #expect(room.machine.participant("PA_of_rec")?.permissions.isRecorder == true)
    }

    // MARK: Subscriptions

    @Test func aSubscriptionOfEitherDialectIsTheRooms() {
        var room = Self.meeting
        room.publish(Self.stream, by: "c1")
        for track in ["TR_s_a", "TR_s_v"] {
            let subscription = Subscription(subscriber: "PA_lea", publisher: "PA_of_c1", track: track)
            #expect(room.machine.subscriptions.contains(subscription))
        }
        room.perform(.publish(Self.track("TR_cam", .camera), by: "PA_lea"))
        let other = Subscription(subscriber: "PA_of_c1", publisher: "PA_lea", track: "TR_cam")
        #expect(!room.machine.subscriptions.contains(other), "nobody has asked for it")
        room.perform(.choose(subscriber: "PA_of_c1", tracks: ["TR_cam"], true))
        #expect(room.machine.subscriptions.contains(other))
        room.perform(.choose(subscriber: "PA_of_c1", tracks: ["TR_s_a"], true))
        let own = Subscription(subscriber: "PA_of_c1", publisher: "PA_of_c1", track: "TR_s_a")
        #expect(room.machine.subscriptions.contains(own), "a client may subscribe to its own stream")
    }

    @Test func speakersOfASessionAreHeardOf() {
        var room = Self.meeting
        room.publish(Self.stream, by: "c1")
        room.forget()
        for _ in 0..<5 { room.perform(.hear([TrackLevel(publisher: "PA_of_c1", level: 0.8)])) }
        let speakers = room.hears("lea").flatMap { response -> [Livekit_SpeakerInfo] in
            if case .speakersChanged(let changed) = response.message { changed.speakers } else { [] }
        }
        #expect(speakers.first?.sid == "PA_of_c1")
    }

    // MARK: Words

    @Test func whatASignalMaySay() {
        let text = Array("hello".utf8)
        #expect(SignalContent(topic: "chat", payload: text) == SignalContent(type: "chat", data: "hello"))
        #expect(SignalContent(topic: "", payload: []) == SignalContent(type: nil, data: ""))
        #expect(SignalContent(topic: "a b", payload: text) == nil)
        #expect(SignalContent(topic: String(repeating: "t", count: 129), payload: text) == nil)
        #expect(SignalContent(topic: "t", payload: [0xff]) == nil)
        #expect(SignalContent(topic: "t", payload: [UInt8](repeating: 97, count: 8193)) == nil)
    }

    @Test func whatAPacketSaysToTheOtherDialect() {
        let sender = RoomParticipant(id: "PA_1", identity: "lea")
        var packet = Livekit_DataPacket()
        packet.user.payload = .init("hi".utf8)
        packet.user.topic = "chat"
        let message = RoomMessage(packet, from: sender)
        #expect(message == RoomMessage(sender: sender, topic: "chat", payload: Array("hi".utf8)))
        #expect(message?.packet.user.participantIdentity == "lea" && message?.packet.kind == .reliable)
        packet.kind = .lossy
        #expect(RoomMessage(packet, from: sender) == nil)
        packet = Livekit_DataPacket()
        packet.chatMessage.message = "hi"
        #expect(RoomMessage(packet, from: sender) == nil)
    }

    @Test func longMetadataStaysAway() {
        let long = ConnectionProfile(identity: "a", name: "n", metadata: String(repeating: "m", count: 1000))
        #expect(long.data == #"{"identity":"a","name":"n"}"#)
        #expect(ConnectionProfile(data: long.data, limit: 256).identity == "a")
    }
}

extension SessionNotice {
    fileprivate var summary: String { "\(event)".prefix { $0 != "(" }.description }
}

extension RESTResult {
    fileprivate var isDone: Bool { if case .done = self { true } else { false } }
}
