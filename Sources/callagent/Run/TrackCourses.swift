import CallBridge
import MediaCore

/// What became of each track of the others, from the call's events.
struct TrackCourses {
    /// One track.
    struct Course {
        var identity: String
        var kind: MediaKind
        /// As announced.
        var codec: String
        var isScreen: Bool
        var isSubscribed = false
        var isMuted: Bool
        var isPublished = true
        /// Why the server doesn't send it.
        var refusal: String?
        /// Milliseconds that it was subscribed and not muted, up to the last change.
        fileprivate var received = 0.0
        /// Milliseconds that it was published, not muted and not subscribed, up to the last change.
        fileprivate var withheld = 0.0
        fileprivate var changed: MediaTime
    }

    /// By the track's id.
    private(set) var courses: [String: Course] = [:]
    /// The ids in the order of their coming.
    private(set) var order: [String] = []
    /// Others who were there, in the order of their coming.
    private(set) var met: [String] = []
    private var known: Set<String> = []

    /// Whoever publishes again and again makes no more than this.
    static let maximumTracks = 4_096
    static let maximumMet = 1_000

    /// Takes note of an event.
    mutating func note(_ event: CallEvent, at time: MediaTime) {
        switch event {
        case .participantJoined(let participant): meet(participant.identity)
        case .trackPublished(let track, let participant) where !participant.isLocal:
            publish(track, participant.identity, time)
        case .trackUnpublished(let track, _):
            change(track.id, time) { ($0.isPublished, $0.isSubscribed) = (false, false) }
        case .trackMuted(let track, _): change(track.id, time) { $0.isMuted = true }
        case .trackUnmuted(let track, _): change(track.id, time) { $0.isMuted = false }
        case .trackSubscribed(_, let track, _): change(track.id, time) { $0.isSubscribed = true }
        case .trackUnsubscribed(let track, _): change(track.id, time) { $0.isSubscribed = false }
        case .subscriptionFailed(let track, _, let why): change(track.id, time) { $0.refusal = why }
        default: break
        }
    }

    subscript(track: String) -> Course? { courses[track] }

    /// Milliseconds until `now` that a track was subscribed and not muted.
    func received(_ track: String, until now: MediaTime) -> Double { settled(track, now)?.received ?? 0 }

    /// Milliseconds until `now` that a track was there to be received, and was not subscribed.
    func withheld(_ track: String, until now: MediaTime) -> Double { settled(track, now)?.withheld ?? 0 }

    private mutating func meet(_ identity: String) {
        if known.count < Self.maximumMet, known.insert(identity).inserted { met.append(identity) }
    }

    private mutating func publish(_ track: Track, _ identity: String, _ time: MediaTime) {
        guard courses[track.id] == nil else {
            return change(track.id, time) { ($0.isPublished, $0.isMuted) = (true, track.isMuted) }
        }
        guard courses.count < Self.maximumTracks else { return }
        order.append(track.id)
        courses[track.id] = Course(
            identity: identity, kind: track.kind, codec: track.codec,
            isScreen: track.source == .screenShare, isMuted: track.isMuted, changed: time)
    }

    private mutating func change(_ track: String, _ time: MediaTime, _ body: (inout Course) -> Void) {
        guard var course = settled(track, time) else { return }
        body(&course)
        courses[track] = course
    }

    private func settled(_ track: String, _ now: MediaTime) -> Course? {
        guard var course = courses[track] else { return nil }
        let elapsed = max(0, (now.seconds - course.changed.seconds) * 1000)
        if course.isPublished, !course.isMuted {
            if course.isSubscribed { course.received += elapsed } else { course.withheld += elapsed }
        }
        course.changed = now
        return course
    }
}
