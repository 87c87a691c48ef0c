import CallBridge
import LiveKitProtocol
import MediaCore
import Testing

@testable import ProviderLiveKitLike

@Suite struct WithdrawnPublicationsTests {
    private static let everything = permission(true)
    private static let nothing = permission(false)

    private static func permission(
        _ canPublish: Bool, _ sources: [Livekit_TrackSource] = []
    ) -> Livekit_ParticipantPermission {
        .with {
            $0.canPublish = canPublish
            $0.canPublishSources = sources
        }
    }

    private func publication(_ id: String, _ source: Track.Source = .microphone) -> Publication {
        let media = LocalTrack(.audio(ToneSource(frequency: 440), .init()))
        return Publication(
            track: Track(id: id, kind: .audio), media: media, source: source, info: .init(), layers: [])
    }

    /// The real server tells of the end first and of the permission afterwards, ours the other way round.
    @Test(arguments: [true, false]) func whatWasForbiddenComesBackWhenItIsAllowed(isToldFirst: Bool) {
        var withdrawn = WithdrawnPublications()
        withdrawn.add(publication("a"), allowed: isToldFirst ? Self.nothing : Self.everything)
        let forbidden = withdrawn.allow(Self.nothing)
        #expect(forbidden.isEmpty)
        let allowed = withdrawn.allow(Self.everything)
        #expect(allowed.map(\.track.id) == ["a"])
        let again = withdrawn.allow(Self.everything)
        #expect(again.isEmpty, "once")
    }

    @Test func whatWasEndedForAnotherReasonStaysAway() {
        var withdrawn = WithdrawnPublications()
        withdrawn.add(publication("a"), allowed: Self.everything)
        let allowed = withdrawn.allow(Self.everything)
        #expect(allowed.isEmpty)
    }

    @Test func sourcesCountEach() {
        var withdrawn = WithdrawnPublications()
        withdrawn.add(publication("mic", .microphone), allowed: Self.nothing)
        withdrawn.add(publication("cam", .camera), allowed: Self.nothing)
        let first = withdrawn.allow(Self.permission(true, [.camera]))
        #expect(first.map(\.track.id) == ["cam"])
        let second = withdrawn.allow(Self.permission(true, [.camera, .microphone]))
        #expect(second.map(\.track.id) == ["mic"])
    }

    @Test func whatWasTakenBackMeanwhileStaysAway() {
        var withdrawn = WithdrawnPublications()
        withdrawn.add(publication("a"), allowed: Self.nothing)
        let isKnown = withdrawn.remove(trackID: "a")
        #expect(isKnown)
        let allowed = withdrawn.allow(Self.everything)
        #expect(allowed.isEmpty)
    }
}
