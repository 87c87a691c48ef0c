import ClientCore
import MediaCore
import Synchronization

/// One side of a call in a story: what happens in it, what is seen and heard of the other side, and its indicator.
final class StoryCall: Sendable {
    let call: Call
    let events = EventHistory<CallEvent>()
    /// What the active-call indicator has shown; the call's own view is never on the screen.
    let looks = EventHistory<IndicatorAppearance>()
    private let card: TestCardSink
    private let meter = AudioMeter()
    private let indicator = Mutex(ActiveCallIndicator())

    /// Begins to read.
    ///
    /// - Parameter sender: the number that the other side's test card shows.
    init(_ call: Call, sees sender: UInt16) {
        self.call = call
        card = TestCardSink(expectedSender: sender)
        let stream = call.events
        Task { for await event in stream { note(event) } }
    }

    private func note(_ event: CallEvent) {
        if case .trackSubscribed(let remote, let track, _) = event {
            if track.kind == .video { remote.attach(card) } else { remote.attach(meter) }
        }
        for action in indicator.withLock({ $0.apply(event) }) {
            if case .show(let appearance) = action { looks.note(appearance) }
        }
        events.note(event)
    }

    /// Drops the indicator on the area that removes it. Whether the call is to be ended for that.
    func dropIndicator() -> Bool { indicator.withLock { $0.apply(.droppedOnRemovalArea) }.contains(.endCall) }

    /// Whether the other side is seen, picture after picture of theirs.
    func isSeen(_ pictures: Int) -> Bool {
        let seen = card.report
        return seen.framesRead >= pictures && seen.wrongSender == 0
    }

    /// Whether the other side's tone is heard.
    func isHeard(_ hertz: Double) -> Bool {
        meter.measurement.dominantHz.map { abs($0 - hertz) < 15 } ?? false
    }

    /// What arrived, for people.
    var arrived: String {
        let heard = meter.measurement.dominantHz.map { "\(Int($0.rounded())) Hz" } ?? "nothing"
        return "\(card.report.framesRead) pictures seen, \(heard) heard"
    }

    /// Returns when somebody of that name has left, or the call is over.
    func isAlone(without identity: String) async -> Bool? {
        await events.first { event in
            switch event {
            case .participantLeft(let participant, _) where participant.identity == identity: true
            case .ended: true
            default: nil
            }
        }
    }
}
