import LiveKitProtocol
import Testing

@testable import CallServer

/// What `track_published` makes of `add_track`, as recorded of a LiveKit server.
@Suite struct TrackAnnouncementTests {
    private func info(
        _ type: Livekit_TrackType, _ change: (inout Livekit_AddTrackRequest) -> Void
    ) -> Livekit_TrackInfo {
        var request = Livekit_AddTrackRequest()
        request.cid = "cid"
        request.type = type
        change(&request)
        return LiveKitTrack(request, publisher: "PA_x").info
    }

    private func layer(_ quality: Livekit_VideoQuality, _ width: UInt32) -> Livekit_VideoLayer {
        .with {
            $0.quality = quality
            $0.width = width
        }
    }

    @Test func soundIsDescribedByFeatures() {
        let stereo = info(.audio) { $0.audioFeatures = [.tfStereo, .tfStereo] }
        #expect(stereo.audioFeatures == [.tfStereo] && !stereo.stereo && stereo.backupCodecPolicy == .simulcast)
        let older = info(.audio) {
            $0.stereo = true
            $0.disableDtx = true
        }
        #expect(older.audioFeatures == [.tfStereo, .tfNoDtx] && older.stereo && older.disableDtx)
        let regressing = info(.audio) { $0.backupCodecPolicy = .regression }
        #expect(regressing.backupCodecPolicy == .regression)
    }

    @Test(arguments: [
        ([] as [Livekit_AudioTrackFeature], "usedtx=1"), ([.tfNoDtx], ""),
        ([.tfStereo], "stereo=1;maxaveragebitrate=510000;usedtx=1"),
        ([.tfStereo, .tfNoDtx], "stereo=1;maxaveragebitrate=510000"),
    ])
    func theAnswerAsksForWhatIsAnnounced(features: [Livekit_AudioTrackFeature], parameters: String) {
        var request = Livekit_AddTrackRequest()
        request.audioFeatures = features
        #expect(LiveKitTrack(request, publisher: "PA_x").parameters == parameters)
    }

    @Test func laterFeaturesReplaceEarlierOnes() {
        var track = info(.audio) { $0.stereo = true }
        track.setAudioFeatures([.tfNoDtx, .tfEchoCancellation, .tfNoDtx])
        #expect(track.audioFeatures == [.tfNoDtx, .tfEchoCancellation])
        #expect(!track.stereo && track.disableDtx)
    }

    @Test func layersComeSmallestFirst() {
        let track = info(.video) {
            $0.layers = [layer(.high, 1280), layer(.low, 320), layer(.medium, 640)]
            $0.simulcastCodecs = [
                .with {
                    $0.codec = "vp8"
                    $0.cid = "cid"
                }
            ]
        }
        #expect(track.layers.map(\.width) == [320, 640, 1280] && track.simulcast)
        #expect(track.codecs.count == 1 && track.codecs[0].mimeType == "video/vp8" && track.codecs[0].cid == "cid")
        #expect(track.codecs[0].layers == track.layers)
        #expect(track.codecs[0].videoLayerMode == .oneSpatialLayerPerStream)
    }

    @Test func scalableCodecsHaveTheirLayersInOneStream() {
        let track = info(.video) {
            $0.layers = [layer(.low, 320), layer(.high, 1280)]
            $0.simulcastCodecs = [
                .with { $0.codec = "vp9" },
                .with {
                    $0.codec = "video/VP8"
                    $0.layers = [layer(.low, 160)]
                },
                .with { $0.codec = "VP8" },
            ]
        }
        #expect(track.codecs.map(\.mimeType) == ["video/vp9", "video/VP8"], "the backup is known, once")
        #expect(track.codecs[0].videoLayerMode == .multipleSpatialLayersPerStream && !track.simulcast)
        #expect(track.codecs[1].videoLayerMode == .oneSpatialLayerPerStream)
        #expect(track.codecs[1].layers.map(\.width) == [160] && track.codecs[0].layers.map(\.width) == [320, 1280])
    }

    @Test func unknownCodecsGiveWayToTheFirstThatIsTaken() {
        #expect(info(.video) { $0.simulcastCodecs = [.with { $0.codec = "theora" }] }.codecs[0].mimeType == "video/VP8")
        #expect(
            info(.audio) { $0.simulcastCodecs = [.with { $0.codec = "speex" }] }.codecs[0].mimeType == "audio/PCMU")
    }
}
