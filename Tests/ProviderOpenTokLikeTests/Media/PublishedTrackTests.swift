import CallBridge
import MediaCore
import OpenTokSignalling
import Testing

@testable import ProviderOpenTokLike

@Suite struct PublishedTrackTests {
    private func video(_ layers: [VideoLayer]) throws -> LocalTrack {
        LocalTrack(
            .video(
                try TestCardSource(sender: 1, width: 640, height: 360, frameRate: 10),
                VideoEncoding(bitrate: 1, layers: layers)))
    }

    @Test func aRoutersConnectionSendsTheTrackItself() throws {
        let track = try video(.init(VideoLayer.standard(width: 640, height: 360, bitrate: 700_000)))
        #expect(PublishedTrack(routed: track, isLayered: true).copy().track === track)
        let single = PublishedTrack(routed: track, isLayered: false).copy()
        guard case .video(_, let encoding) = single.track.media else {
            Issue.record("no video")
            return
        }
        #expect(encoding.layers.isEmpty && encoding.bitrate == 700_000, "a session without simulcast gets one size")
    }

    /// Whether size or motion is given up is the same on every connection.
    @Test func copiesKnowWhatTheyShow() throws {
        let source = try TestCardSource(sender: 1, width: 640, height: 360, frameRate: 10)
        var encoding = VideoEncoding(
            layers: VideoLayer.standard(width: 640, height: 360, bitrate: 700_000), codec: .vp9)
        encoding.degradationPreference = .balanced
        let track = LocalTrack(.video(source, encoding))
        track.isScreen = true
        for copy in [
            PublishedTrack(routed: track, isLayered: false).copy(), try PublishedTrack(relayed: track).copy(),
        ] {
            guard case .video(_, let copied) = copy.track.media else {
                Issue.record("no video")
                continue
            }
            #expect(copy.track.isScreen && copied.degradationPreference == .balanced && copied.codec == .vp9)
        }
    }

    @Test func copiesAreMutedTogether() throws {
        let track = LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding()))
        let published = try PublishedTrack(relayed: track)
        let copies = [published.copy(), published.copy()]
        published.isMuted = true
        #expect(track.isMuted && copies.allSatisfy(\.track.isMuted))
        #expect(published.copy().track.isMuted, "who comes later gets it muted")
        published.release(copies[0])
        published.isMuted = false
        #expect(copies[0].track.isMuted && !copies[1].track.isMuted)
    }

    @Test func readersOfOneSourceGetTheSameSound() throws {
        let track = LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding()))
        let published = try PublishedTrack(relayed: track)
        let frames = [published.copy(), published.copy()].map { copy -> [Int16] in
            guard case .audio(let source, _) = copy.track.media else { return [] }
            var samples = [Int16](repeating: 0, count: 960 * source.channels)
            _ = samples.withUnsafeMutableBufferPointer { source.read(into: $0) }
            return samples
        }
        #expect(frames[0] == frames[1] && frames[0].contains { $0 != 0 })
    }

    @Test func oneSubscribersWishIsNobodyElses() throws {
        let published = try PublishedTrack(relayed: try video([]))
        let copies = [published.copy(), published.copy()]
        copies[0].follow(RaptorSubscriberPreferences(isActive: false))
        #expect(copies[0].track.isMuted && !copies[1].track.isMuted)
        published.isMuted = true
        copies[0].follow(RaptorSubscriberPreferences(isActive: true))
        #expect(copies[0].track.isMuted, "its publisher has muted it")
        published.isMuted = false
        #expect(copies.allSatisfy { !$0.track.isMuted })
        copies[0].follow(RaptorSubscriberPreferences(preferredWidth: 160, preferredHeight: 90))
        copies[0].follow(RaptorSubscriberPreferences(isActive: true))
        #expect(copies[0].bitrate == 30_000, "a quarter each way is worth a sixteenth, within reason")
        #expect(copies[1].bitrate == nil)
    }

    @Test(arguments: [
        (nil, nil, 640, 360), (640, 360, 640, 360), (321, 100, 640, 360), (320, 180, 320, 180), (1, nil, 160, 90),
        (0, 0, 640, 360), (nil, 181, 640, 360),
    ])
    func aSubscriberGetsTheSmallestPictureThatCoversItsView(
        _ width: Int?, _ height: Int?, _ expectedWidth: Int, _ expectedHeight: Int
    ) throws {
        let pictures = WishedPictures(try TestCardSource(sender: 1, width: 640, height: 360, frameRate: 10))
        pictures.follow(RaptorSubscriberPreferences(preferredWidth: width, preferredHeight: height))
        let frame = try #require(pictures.nextFrame(at: MediaTime(nanoseconds: 0)))
        #expect(frame.width == expectedWidth && frame.height == expectedHeight)
    }

    @Test(arguments: [(nil, false, 30), (15.0, false, 15), (1.0, false, 1), (nil, true, 1), (60, false, 30)])
    func aSubscriberGetsNoMorePicturesThanItAsksFor(_ rate: Double?, _ isRestricted: Bool, _ expected: Int) throws {
        let pictures = WishedPictures(try TestCardSource(sender: 1, width: 160, height: 90, frameRate: 30))
        var wish = RaptorSubscriberPreferences()
        (wish.preferredFrameRate, wish.restrictsFrameRate) = (rate, isRestricted)
        pictures.follow(wish)
        let second = (0..<30).compactMap { pictures.nextFrame(at: MediaTime(nanoseconds: Int64($0) * 33_333_333)) }
        #expect(abs(second.count - expected) <= 1, "\(second.count)")
        #expect(second.count >= 1, "the first picture comes at once")
    }
}
