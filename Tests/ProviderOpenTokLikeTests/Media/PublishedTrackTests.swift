import CallBridge
import MediaCore
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
        #expect(PublishedTrack(routed: track, isLayered: true).copy() === track)
        let single = PublishedTrack(routed: track, isLayered: false).copy()
        guard case .video(_, let encoding) = single.media else {
            Issue.record("no video")
            return
        }
        #expect(encoding.layers.isEmpty && encoding.bitrate == 700_000, "a session without simulcast gets one size")
    }

    @Test func copiesAreMutedTogether() throws {
        let track = LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding()))
        let published = try PublishedTrack(relayed: track)
        let copies = [published.copy(), published.copy()]
        published.isMuted = true
        #expect(track.isMuted && copies.allSatisfy(\.isMuted))
        #expect(published.copy().isMuted, "who comes later gets it muted")
        published.release(copies[0])
        published.isMuted = false
        #expect(copies[0].isMuted && !copies[1].isMuted)
    }

    @Test func readersOfOneSourceGetTheSameSound() throws {
        let track = LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding()))
        let published = try PublishedTrack(relayed: track)
        let frames = [published.copy(), published.copy()].map { copy -> [Int16] in
            guard case .audio(let source, _) = copy.media else { return [] }
            var samples = [Int16](repeating: 0, count: 960 * source.channels)
            _ = samples.withUnsafeMutableBufferPointer { source.read(into: $0) }
            return samples
        }
        #expect(frames[0] == frames[1] && frames[0].contains { $0 != 0 })
    }
}
