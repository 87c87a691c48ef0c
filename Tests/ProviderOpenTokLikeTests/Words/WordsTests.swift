import CallBridge
import MediaCore
import OpenTokClient
import OpenTokSignalling
import Testing

@testable import ProviderOpenTokLike

@Suite struct WordsTests {
    @Test(arguments: [
        ("ada", "ada", "ada"), ("", "c1", "c1"), (#"{"identity":"ada","name":"Ada L."}"#, "ada", "Ada L."),
        (#"{"identity":"ada"}"#, "ada", "ada"), (#"{"name":"Ada"}"#, #"{"name":"Ada"}"#, #"{"name":"Ada"}"#),
        ("{", "{", "{"), (#"{"identity":5}"#, #"{"identity":5}"#, #"{"identity":5}"#),
    ])
    func connectionDataSaysWhoItIs(_ data: String, _ identity: String, _ name: String) {
        let connection = RaptorConnection(id: "c1", creationTime: 1, data: data, permissions: [])
        let person = ConnectionPerson(connection)
        #expect(person.identity == identity && person.name == name)
        #expect(Participant(connection).metadata == data)
    }

    @Test func aTracksIdNamesStreamAndChannel() {
        let track = ChannelTrack(stream: "s", channel: "audio1")
        #expect(ChannelTrack(trackID: track.trackID) == track)
        for text in ["", "s", "/", "s/", "/audio1", "s/a/b"] { #expect(ChannelTrack(trackID: text) == nil, "\(text)") }
    }

    @Test(arguments: [
        (Track.Source.camera, MediaKind.video), (.screenShare, .video), (.microphone, .audio),
        (.screenShareAudio, .audio), (.unknown, .video),
    ])
    func whatATrackShowsComesThrough(_ source: Track.Source, _ kind: MediaKind) throws {
        let media: LocalTrack.Media =
            kind == .audio
            ? .audio(ToneSource(frequency: 440), AudioEncoding())
            : .video(try TestCardSource(sender: 1, width: 320, height: 180, frameRate: 10), VideoEncoding())
        let stream = RaptorStream([(LocalTrack(media, name: "slides"), source)], id: "s")
        let track = Track(try #require(stream.channels.first), of: stream)
        #expect(track.source == source && track.kind == kind && track.name == "slides" && !track.isMuted)
        #expect(track.width == (kind == .video ? 320 : 0))
    }

    @Test func settingsBecomePreferences() {
        let size = (width: 1280, height: 720)
        let low = RaptorSubscriberPreferences(TrackSettings(quality: .low), size: size)
        #expect(low.preferredWidth == 320 && low.preferredHeight == 180 && low.isActive == true)
        let view = RaptorSubscriberPreferences(
            TrackSettings(quality: .low, size: VideoViewSize(width: 640, height: 360), framesPerSecond: 15), size: size)
        #expect(view.preferredWidth == 640 && view.preferredHeight == 360 && view.preferredFrameRate == 15)
        let off = RaptorSubscriberPreferences(TrackSettings(isDisabled: true), size: (0, 0))
        #expect(off.isActive == false)
        #expect(off.preferredWidth == 0 && off.preferredFrameRate == 1000, "what was said before is over")
    }

    @Test(arguments: ClientErrorCode.allCases) func everyNumberHasItsWords(_ code: ClientErrorCode) {
        let error = CallError(ClientError(code, "it failed"))
        #expect(error.message == "it failed (\(code.rawValue))")
        #expect((error.fault == .caller) == (error.code == .invalidArgument))
    }

    @Test func refusalsAreToldFromLosses() {
        #expect(ClientErrorWords.of(.authorizationFailure).code == .providerRefused)
        #expect(ClientErrorWords.of(.invalidSession).fault == .configuration)
        #expect(ClientErrorWords.of(.noMessagingServer).code == .unreachable)
        #expect(ClientErrorWords.of(.connectionDropped).code == .providerLost)
        #expect(ClientErrorWords.of(.signalDataTooLong).fault == .caller)
    }

    @Test func endsHaveTheCallModelsReasons() {
        #expect(EndWords(.left).reason == .lastMandatoryParticipantLeft)
        let removed = EndWords(.removed(.forceDisconnected))
        #expect(removed.reason == .unknown && removed.exclusion == .removed)
        for end in [ClientEnd.lost, .closed, .misbehaved, .removed(.networkDisconnected)] {
            #expect(EndWords(end).reason == .systemShutdown && EndWords(end).exclusion == nil, "\(end)")
        }
        let reasons = RaptorReason.allCases.map { ParticipantLeftReason($0) }
        #expect(reasons == [.hangUp, .removed, .systemAbort, .unknown, .unknown])
    }

    @Test func idsAreRandomUUIDs() {
        let ids = (0..<100).map { _ in Identifiers.random() }
        #expect(Set(ids).count == 100)
        for id in ids {
            let parts = id.split(separator: "-")
            #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
            #expect(parts[2].first == "4" && "89ab".contains(parts[3].first ?? "x"))
        }
    }
}
