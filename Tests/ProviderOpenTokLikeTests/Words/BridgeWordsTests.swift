import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling
import Testing

@testable import ProviderOpenTokLike

@Suite struct BridgeWordsTests {
    private var words = BridgeWords(isEncrypted: false)
    private let peer = RaptorPeer.subscriber(stream: "s", id: "x")

    private static func connection(_ id: String, _ data: String = "") -> RaptorConnection {
        RaptorConnection(id: id, creationTime: 1, data: data, permissions: OpenTokRole.publisher.permissions())
    }

    private static var stream: RaptorStream {
        var stream = RaptorStream(
            id: "s", name: "camera",
            channels: [
                RaptorChannel(id: "audio1", kind: .audio, .init(isActive: true)),
                RaptorChannel(id: "video1", kind: .video, .init(isActive: false, width: 640, height: 360)),
            ])
        stream.connection = "b"
        return stream
    }

    /// The call of ada, where bob publishes.
    init() {
        _ = words.events(.sessionConnected(Self.connection("a", "ada")))
        _ = words.events(.connectionCreated(Self.connection("b", "bob")))
        _ = words.events(.streamCreated(Self.stream))
    }

    @Test func whoJoinsIsActiveBeforeThereIsMedia() throws {
        var words = BridgeWords(isEncrypted: false)
        let events = words.events(.sessionConnected(Self.connection("a", "ada")))
        guard case .mediaConnected(srtpProfile: "")? = events.first, case .localPermissions(let may)? = events.last
        else {
            Issue.record("\(events)")
            return
        }
        #expect(may.canPublish && may.canSubscribe && may.canPublishData)
        #expect(words.local.identity == "ada" && words.local.isLocal)
        guard
            case .mediaConnected(srtpProfile: "SRTP_AEAD_AES_128_GCM")? =
                words.connected(srtpProfile: "SRTP_AEAD_AES_128_GCM")
        else {
            Issue.record("the profile is not told")
            return
        }
        #expect(words.connected(srtpProfile: "another") == nil, "it is told once")
    }

    @Test mutating func aStreamIsTracksOfItsConnection() throws {
        var words = BridgeWords(isEncrypted: false)
        _ = words.events(.connectionCreated(Self.connection("b", "bob")))
        let tracks = words.events(.streamCreated(Self.stream)).compactMap { event -> Track? in
            if case .trackPublished(let track, participantID: "b") = event { track } else { nil }
        }
        #expect(tracks.map(\.id) == ["s/audio1", "s/video1"])
        #expect(tracks.map(\.source) == [.microphone, .camera])
        #expect(tracks.map(\.isMuted) == [false, true])
        #expect(tracks.last?.width == 640 && tracks.last?.name == "camera")
        #expect(words.size(of: ChannelTrack(stream: "s", channel: "video1")) == (640, 360))
        let gone = words.events(.streamDestroyed(Self.stream, .forceUnpublished)).compactMap { event -> String? in
            if case .trackUnpublished(let id, participantID: "b") = event { id } else { nil }
        }
        #expect(gone == ["s/audio1", "s/video1"])
        #expect(words.events(.streamDestroyed(Self.stream, .forceUnpublished)).isEmpty)
    }

    @Test mutating func mediaIsNamedByItsConnection() throws {
        let track = RemoteTrack(kind: .audio, mid: "0", streamID: "-", trackID: "audio")
        #expect(words.events(.subscriber(.connected(channel: "audio1", peer), stream: "s")).isEmpty, "nothing has come")
        words.arrived(track, peer)
        guard
            case .trackSubscribed(let told, trackID: "s/audio1", participantID: "b")? =
                words.events(.subscriber(.connected(channel: "audio1", peer), stream: "s")).first
        else {
            Issue.record("the track is not told")
            return
        }
        #expect(told === track && track.protection == .clear)
        words.closed(peer)
        #expect(words.events(.subscriber(.connected(channel: "audio1", peer), stream: "s")).isEmpty)
    }

    @Test mutating func encryptedMediaHasItsPublishersKeys() throws {
        var words = BridgeWords(isEncrypted: true)
        _ = words.events(.connectionCreated(Self.connection("b", "bob")))
        _ = words.events(.streamCreated(Self.stream))
        let track = RemoteTrack(kind: .audio, mid: "0", streamID: "-", trackID: "audio")
        words.arrived(track, peer)
        _ = words.events(.subscriber(.connected(channel: "audio1", peer), stream: "s"))
        #expect(track.protection == .encrypted(participant: "bob"))
    }

    @Test mutating func videoThatTheRouterDropsIsPausedBehindAWarning() throws {
        let told = [VideoChange.disableWarning, .disabled, .enabled, .disableWarningLifted].flatMap {
            words.events(.subscriber(.video($0), stream: "s"))
        }.map { event -> String in
            switch event {
            case .connectionQuality(let changes): "\(changes[0].participantID) \(changes[0].level)"
            case .streamPaused(let isPaused, let id, let owner): "\(owner) \(id) \(isPaused)"
            default: "something else"
            }
        }
        #expect(told == ["a poor", "b s/video1 true", "b s/video1 false", "a good"])
    }

    @Test mutating func signalsAreMessagesOfOthers() throws {
        let content = SignalContent(type: "chat", data: "hello")
        guard case .dataReceived(let message, identity: "bob"?)? = words.events(.signal(content, from: "b")).first,
            case .dataReceived(_, identity: nil)? = words.events(.signal(content, from: nil)).first
        else {
            Issue.record("signals are lost")
            return
        }
        #expect(message == DataMessage(bytes: Array("hello".utf8), topic: "chat"))
        #expect(words.events(.signal(content, from: "a")).isEmpty, "our own is for everybody else")
    }

    @Test mutating func messagesGoToEveryConnectionOfAnIdentity() throws {
        _ = words.events(.connectionCreated(Self.connection("c", "bob")))
        #expect(try words.connections(of: []) == nil)
        #expect(try words.connections(of: ["bob"]) == ["b", "c"])
        #expect(throws: CallError.self) { try words.connections(of: ["nobody"]) }
    }

    @Test mutating func whatHappensToOwnStreamsIsToldByTrack() throws {
        words.published(Track(id: "o/audio1", kind: .audio))
        guard case .localTrackSubscribed("o/audio1")? = words.events(.publisher(.subscribed, stream: "o")).first,
            case .localTrackMuted(true, "o/audio1")? =
                words.events(.publisher(.muteForced(channel: "audio1"), stream: "o")).first
        else {
            Issue.record("own tracks are not told of")
            return
        }
        #expect(words.local.tracks.first?.isMuted == true)
        guard
            case .localTrackUnpublished("o/audio1")? =
                words.events(.publisher(.streamDestroyed(.forceUnpublished), stream: "o")).first
        else {
            Issue.record("the end is not told")
            return
        }
        #expect(words.local.tracks.isEmpty)
    }

    @Test func levelsBelongToTheStreamsOwner() throws {
        let report = AudioLevelReport(trackID: "audio", level: 20, atNanoseconds: 5)
        guard case .audioLevels(let levels)? = words.levels([report], peer) else {
            Issue.record("no levels")
            return
        }
        #expect(levels == [ParticipantLevel(participantID: "b", level: 20, atNanoseconds: 5)])
        #expect(words.levels([report], .subscriber(stream: "unknown", id: "x")) == nil)
    }
}
