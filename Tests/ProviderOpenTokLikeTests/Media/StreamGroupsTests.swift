import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling
import Testing

@testable import ProviderOpenTokLike

@Suite struct StreamGroupsTests {
    private static func sound(_ name: String = "") -> LocalTrack {
        LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding()), name: name)
    }

    private static func pictures(_ name: String = "") throws -> LocalTrack {
        LocalTrack(
            .video(
                try TestCardSource(sender: 1, width: 640, height: 360, frameRate: 15), VideoEncoding(bitrate: 500_000)),
            name: name)
    }

    private static func item(_ source: Track.Source) throws -> LocalMediaItem {
        switch source {
        case .microphone, .screenShareAudio: (sound(), source)
        case .camera, .screenShare, .unknown: (try pictures(), source)
        }
    }

    @Test(
        arguments: [
            ([.microphone], [[0]]), ([.microphone, .camera], [[0, 1]]), ([.camera, .microphone], [[0, 1]]),
            ([.microphone, .screenShare], [[0], [1]]), ([.microphone, .unknown], [[0, 1]]),
            ([.camera, .camera, .microphone], [[0, 2], [1]]), ([.microphone, .microphone], [[0], [1]]),
            ([.microphone, .screenShare, .camera, .screenShareAudio], [[0, 2], [1, 3]]), ([], []),
        ] as [([Track.Source], [[Int]])])
    func oneOfAKindAndOfAPlaceMakeAStream(_ sources: [Track.Source], _ expected: [[Int]]) throws {
        #expect(StreamGroups.indices(try sources.map(Self.item)) == expected)
    }

    private static func settings(_ mode: MediaMode) -> ClientSettings {
        let session = OpenTokSessionID(project: "12345", mediaMode: mode, createdAt: 0, random: 1)
        return ClientSettings(
            info: SessionInfo(session: session, project: "12345", messagingURL: "ws://h", serverAddress: "a"),
            token: "t", connection: "me")
    }

    @Test func aStreamSaysWhatItsChannelsAre() throws {
        let group: [LocalMediaItem] = [(Self.sound(), .microphone), (try Self.pictures("front"), .camera)]
        group[0].track.isMuted = true
        let stream = RaptorStream(group, id: "s")
        #expect(stream.name == "front" && stream.channels.map(\.id) == ["audio1", "video1"])
        #expect(stream.channels.map(\.kind) == [.audio, .video])
        #expect(stream.channels.map(\.properties.isActive) == [false, true])
        let picture = stream.channels[1].properties
        #expect(picture.width == 640 && picture.height == 360 && picture.frameRate == 15 && picture.source == .camera)
        let tracks = stream.channels.map { Track($0, of: stream) }
        #expect(tracks.map(\.id) == ["s/audio1", "s/video1"] && tracks.map(\.source) == [.microphone, .camera])
    }

    @Test func channelsOfAStreamAreMutedEachForItself() throws {
        let group: [LocalMediaItem] = [(Self.sound(), .microphone), (try Self.pictures(), .camera)]
        let published = try PublishedStream(group, id: "s", settings: Self.settings(.relayed))
        let sent = published.copies()
        #expect(sent.map(\.id) == ["audio1", "video1"] && sent.allSatisfy { $0.copy.track !== $0.track.track })
        published["audio1"]?.isMuted = true
        #expect(sent[0].copy.track.isMuted && !sent[1].copy.track.isMuted)
        #expect(group[0].track.isMuted && !group[1].track.isMuted)
        #expect(published["video2"] == nil)
        sent[0].release()
        published["audio1"]?.isMuted = false
        #expect(sent[0].copy.track.isMuted, "what is released changes no more")
    }

    @Test func whatIsEncodedGoesThroughARouterAlone() throws {
        let clip = try IVFFile(
            encoding: TestCardSource(sender: 1, width: 160, height: 90, frameRate: 5), pictures: 2, bitrate: 20_000)
        let group: [LocalMediaItem] = [(LocalTrack(.encodedVideo(IVFSource(clip))), .camera)]
        #expect(throws: CallError.self) { try PublishedStream(group, id: "s", settings: Self.settings(.relayed)) }
        let routed = try PublishedStream(group, id: "s", settings: Self.settings(.routed))
        #expect(routed.copies()[0].copy.track === group[0].track)
        #expect(routed.stream.channels[0].properties.width == 160)
    }

    /// A track that is taken back leaves the others of its stream.
    @Test func theBridgeKnowsWhoSharesAStream() {
        var words = BridgeWords(isEncrypted: false)
        for id in ["s/audio1", "s/video1", "t/video1"] {
            words.published(Track(id: id, kind: .audio, name: "", source: .microphone, isMuted: false))
        }
        #expect(words.isPublishedWithOthers("s/audio1") && !words.isPublishedWithOthers("t/video1"))
        words.forget(trackID: "s/audio1")
        #expect(!words.isPublishedWithOthers("s/video1"))
        #expect(words.local.tracks.map(\.id) == ["s/video1", "t/video1"])
        guard
            case .localTrackUnpublished("s/video1")? = words.events(
                .publisher(.streamDestroyed(.forceUnpublished), stream: "s")
            ).first
        else {
            Issue.record("the end of the stream is not told")
            return
        }
        #expect(words.local.tracks.map(\.id) == ["t/video1"])
    }
}
