import CallBridge
import MediaCore
import Testing

@testable import callagent

/// What `join` says of the tracks that it received, also of those whose sender left first.
@Suite struct JoinJudgeTests {
    private static func at(_ seconds: Double) -> MediaTime { MediaTime(nanoseconds: Int64(seconds * 1e9)) }

    private static func track(_ kind: MediaKind = .video, codec: String = "VP8", muted: Bool = false) -> Track {
        Track(id: "T", kind: kind, source: kind == .video ? .camera : .microphone, isMuted: muted, codec: codec)
    }

    private static let bob = Participant(id: "P", identity: "bob")

    private static func subscribed(_ track: Track) -> CallEvent {
        .trackSubscribed(RemoteTrack(kind: track.kind, mid: "0", streamID: "P", trackID: "T"), track, bob)
    }

    /// Courses of one track from its events, at their seconds.
    private static func courses(_ events: [(Double, CallEvent)]) -> TrackCourses {
        var courses = TrackCourses()
        for (seconds, event) in events { courses.note(event, at: at(seconds)) }
        return courses
    }

    /// Published and subscribed at 0; gone at `end`.
    private static func visit(_ track: Track, until end: Double) -> TrackCourses {
        courses([
            (0, .participantJoined(bob)), (0, .trackPublished(track, bob)), (0, subscribed(track)),
            (end, .trackUnsubscribed(track, bob)), (end, .trackUnpublished(track, bob)),
            (end, .participantLeft(bob, .hangUp)),
        ])
    }

    private static func judged(_ track: TrackReport, _ courses: TrackCourses, until seconds: Double = 10) -> TrackReport
    {
        var track = track
        JoinJudge(reception: ReceptionJudge(), courses: courses, now: at(seconds), subscribesAutomatically: true)
            .judge(&track, id: "T")
        return track
    }

    private static func report(_ kind: MediaKind = .video, received: Int = 0, decoded: Int = 0) -> TrackReport {
        var report = TrackReport(from: "bob", to: "ada", kind: kind.rawValue, codec: kind == .video ? "VP8" : "opus")
        report.packetsReceived = received
        report.framesReceived = received
        report.framesDecoded = decoded
        return report
    }

    @Test(arguments: MediaKind.allCases)
    func aWrongKeyFailsAlsoWhenTheSenderHasLeft(kind: MediaKind) {
        var report = Self.report(kind, received: 200)
        report.framesUndecryptable = 200
        for courses in [Self.visit(Self.track(kind), until: 5), Self.visit(Self.track(kind), until: 20)] {
            let track = Self.judged(report, courses)
            #expect(!track.ok && track.reasons == [.undecryptable])
            #expect(track.failure?.contains("200 frames could not be decrypted") == true)
        }
    }

    @Test(arguments: MediaKind.allCases)
    func someFramesThatDoNotOpenFailToo(kind: MediaKind) {
        var report = Self.report(kind, received: 200, decoded: 190)
        report.framesUndecryptable = 3
        report.framesUndecodable = 4
        let track = Self.judged(report, Self.visit(Self.track(kind), until: 5))
        #expect(track.reasons == [.undecryptable, .undecodable])
    }

    @Test func aCodecThatNobodyHereDecodesIsNamed() {
        let courses = Self.visit(Self.track(codec: "VP9"), until: 5)
        let track = Self.judged(Self.report(), courses)
        #expect(track.codec == "VP9" && track.reasons == [.unsupportedCodec])
        #expect(track.failure?.contains("VP9") == true)
    }

    @Test func aTrackThatWasNeverSubscribedForItsCodecIsNamed() {
        let track = Self.track(codec: "AV1")
        var events: [(Double, CallEvent)] = [(0, .participantJoined(Self.bob)), (0, .trackPublished(track, Self.bob))]
        func missed(_ subscribes: Bool = true) -> [TrackReport] {
            JoinJudge(
                reception: ReceptionJudge(), courses: Self.courses(events), now: Self.at(10),
                subscribesAutomatically: subscribes
            ).missed([], by: "ada")
        }
        #expect(missed().map(\.reasons) == [[.unsupportedCodec]])
        #expect(missed().map(\.codec) == ["AV1"])
        events.append((5, .trackUnpublished(track, Self.bob)))
        #expect(missed().map(\.reasons) == [[.unsupportedCodec]])
        #expect(missed(false).isEmpty)
    }

    @Test func aRefusalOfTheServersIsNamed() {
        let track = Self.track()
        let courses = Self.courses([
            (0, .trackPublished(track, Self.bob)),
            (1, .subscriptionFailed(track, Self.bob, detail: "no\u{1b}[2J reason")),
        ])
        let judge = JoinJudge(
            reception: ReceptionJudge(), courses: courses, now: Self.at(10), subscribesAutomatically: true)
        let missed = judge.missed([], by: "ada")
        #expect(missed.map(\.reasons) == [[.notSubscribed]])
        #expect(missed[0].failure?.contains("\u{1b}") == false)
    }

    @Test func packetsWithoutAFrameAreNamed() {
        var report = Self.report(received: 300)
        report.framesReceived = 0
        #expect(Self.judged(report, Self.visit(Self.track(), until: 5)).reasons == [.undecodable])
        #expect(Self.judged(report, Self.visit(Self.track(), until: 0.5)).ok)
    }

    @Test func nothingIsMissedOfWhoWasMutedOrThereForAMoment() {
        let muted = Self.courses([
            (0, .trackPublished(Self.track(muted: true), Self.bob)), (0, Self.subscribed(Self.track(muted: true))),
        ])
        #expect(Self.judged(Self.report(), muted).ok)
        #expect(Self.judged(Self.report(), Self.visit(Self.track(), until: 1)).ok)
        #expect(Self.judged(Self.report(), Self.visit(Self.track(), until: 5)).reasons == [.nothingArrived])
        let unmuted = Self.courses([
            (0, .trackPublished(Self.track(muted: true), Self.bob)), (0, Self.subscribed(Self.track(muted: true))),
            (4, .trackUnmuted(Self.track(), Self.bob)),
        ])
        #expect(Self.judged(Self.report(), unmuted, until: 6).ok)
        #expect(Self.judged(Self.report(), unmuted, until: 8).reasons == [.nothingArrived])
    }

    @Test func aWholeTrackIsOK() {
        let track = Self.judged(Self.report(received: 200, decoded: 200), Self.visit(Self.track(), until: 5))
        #expect(track.ok && track.failure == nil && track.receivedMs == 5_000)
    }

    @Test func whoWasThereIsRememberedWithoutEnd() {
        var courses = TrackCourses()
        for number in 0..<5_000 {
            let person = Participant(id: "P\(number)", identity: "p\(number)")
            courses.note(.participantJoined(person), at: .zero)
            courses.note(.trackPublished(Track(id: "T\(number)", kind: .audio), person), at: .zero)
        }
        #expect(courses.met.count == TrackCourses.maximumMet && courses.order.count == TrackCourses.maximumTracks)
    }
}

/// How much concealed sound and standing pictures are too much, and what else makes a run fail.
@Suite struct ReceptionJudgeTests {
    private static func track(concealed: Double = 0, frozen: Double = 0, of whole: Double) -> TrackReport {
        var track = TrackReport(from: "a", to: "b", kind: "audio", codec: "opus")
        track.audio = AudioReport(rms: 0.1, dominantHz: nil, concealedMs: concealed, playedMs: whole)
        (track.frozenMs, track.receivedMs) = (frozen, whole)
        return track
    }

    private static func reasons(_ track: TrackReport, _ judge: ReceptionJudge = .init()) -> [FailureReason] {
        var track = track
        judge.judge(&track)
        return track.reasons
    }

    @Test(arguments: [
        (400.0, 2_000.0, false), (600, 2_000, true), (700, 15_000, false), (800, 15_000, true), (2_500, 15_000, true),
    ])
    func concealedSoundAndFreezesHaveOneLimit(lost: Double, whole: Double, fails: Bool) {
        #expect(Self.reasons(Self.track(concealed: lost, of: whole)) == (fails ? [.concealed] : []))
        #expect(Self.reasons(Self.track(frozen: lost, of: whole)) == (fails ? [.frozen] : []))
    }

    @Test func whatTheMachineTookIsTheMachines() {
        let track = Self.track(concealed: 2_500, frozen: 2_500, of: 15_000)
        #expect(Self.reasons(track, ReceptionJudge(lateMilliseconds: 2_000)) == [.late, .late])
        #expect(Self.reasons(track, ReceptionJudge(lateMilliseconds: 1_000)) == [.concealed, .frozen])
        #expect(Self.reasons(track, ReceptionJudge(limits: nil)).isEmpty)
        // Timers that were late and cost nothing are no failure.
        #expect(Self.reasons(Self.track(of: 15_000), ReceptionJudge(lateMilliseconds: 9_000)).isEmpty)
    }

    @Test func aScreenMayStandStill() {
        var track = Self.track(frozen: 9_000, of: 10_000)
        ReceptionJudge().judge(&track, isStill: true)
        #expect(track.ok)
    }
}
