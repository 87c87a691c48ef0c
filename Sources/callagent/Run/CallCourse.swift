import CallBridge
import MediaCore

/// What the events of a call came to, for its report.
struct CallCourse {
    private(set) var tracks = TrackCourses()
    private(set) var publishing = PublishingCourse()
    /// How often the connection was lost and made anew.
    private(set) var reconnects = 0
    /// It is lost at present.
    private(set) var isLost = false

    /// Takes note of an event.
    mutating func note(_ event: CallEvent, at time: MediaTime) {
        tracks.note(event, at: time)
        publishing.note(event)
        switch event {
        case .reconnecting: isLost = true
        case .reconnected:
            isLost = false
            reconnects += 1
        default: break
        }
    }
}
