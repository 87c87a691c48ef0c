import CallBridge
import CallModel
import MediaCore

/// Decides whether `join` got all that was sent to it, and sent all that it was to send.
struct JoinJudge {
    /// A track that shorter than this could have come, milliseconds, is not missed.
    static let patience = 3_000.0

    let reception: ReceptionJudge
    let courses: TrackCourses
    /// When the counting took place.
    let now: MediaTime
    /// Everything that is published is to be received.
    let subscribesAutomatically: Bool

    /// Judges a track that was subscribed.
    func judge(_ track: inout TrackReport, id: String) {
        let course = courses[id]
        let received = courses.received(id, until: now)
        track.receivedMs = received.rounded()
        if track.packetsReceived == 0, let course { track.codec = course.codec }
        if track.framesDecoded == 0 {
            judgeEmpty(&track, received: received, refusal: course?.refusal)
        }
        if let missing = track.framesMissing, missing > 0 {
            track.fail(.framesMissing, "\(missing) pictures are missing")
        }
        if let damaged = track.framesDamaged, damaged > 0 {
            track.fail(.damaged, "\(damaged) pictures came and could not be read")
        }
        reception.judge(&track, isStill: course?.isScreen ?? false)
    }

    /// A track that has given nothing, also where its sender has left since.
    private func judgeEmpty(_ track: inout TrackReport, received: Double, refusal: String?) {
        if !ReceptionJudge.decodes(track.codec) {
            track.fail(.unsupportedCodec, Self.unsupported(track.codec))
        } else if let refusal {
            track.fail(.notSubscribed, "the server doesn't send it: \(refusal.printable(limit: 64))")
        } else if track.packetsReceived > 0, track.framesUndecryptable == 0, track.framesUndecodable == 0 {
            guard track.framesReceived > 0 || received >= Self.patience else { return }
            track.fail(.undecodable, "\(track.packetsReceived) packets came, and no frame of them could be decoded")
        } else if track.packetsReceived == 0, received >= Self.patience {
            track.fail(.nothingArrived, "nothing arrived")
        }
    }

    /// Tracks that were published and never subscribed, though they should have been.
    ///
    /// - Parameter subscribed: the ids of all that were.
    func missed(_ subscribed: Set<String>, by listener: String) -> [TrackReport] {
        guard subscribesAutomatically else { return [] }
        return courses.order.filter { !subscribed.contains($0) }.compactMap { id in
            guard let course = courses[id] else { return nil }
            var track = TrackReport(
                from: course.identity, to: listener, kind: course.kind.rawValue, codec: course.codec)
            if !ReceptionJudge.decodes(course.codec), courses.withheld(id, until: now) > 0 {
                track.fail(.unsupportedCodec, Self.unsupported(course.codec))
            } else if let refusal = course.refusal {
                track.fail(.notSubscribed, "the server doesn't send it: \(refusal.printable(limit: 64))")
            }
            return track.ok ? nil : track
        }
    }

    private static func unsupported(_ codec: String) -> String {
        "its codec \(ReceptionJudge.name(codec)) can't be decoded here; have it sent as opus or VP8"
    }
}
