import CallBridge
import Foundation
import MediaCore

/// The active-call indicator of one participant who has the call's view hidden: what it shows, as a record, as a line, and
/// as a picture.
actor IndicatorWatch {
    private let call: Call
    private let begun: MediaTime
    private let clock: MediaClock
    private let window: PictureInPicture?
    private let writer: Y4MWriter?
    private let line: (@Sendable (String) -> Void)?
    private var indicator = ActiveCallIndicator()
    private var names: [String: String] = [:]
    private var tracks: [String: RemoteTrack] = [:]
    private var attached: String?
    private var shown: [IndicatorReport.Shown] = []
    private var tasks: [Task<Void, Never>] = []

    private static let pictureRate = 15

    /// - Parameters:
    ///   - picture: a Y4M file for what it shows; nil for none. Throws `MediaError` where it can't be written.
    ///   - line: gets one sentence whenever it changes.
    init(
        _ call: Call, begun: MediaTime, picture: String?, line: (@Sendable (String) -> Void)?,
        clock: MediaClock = .system
    ) throws {
        self.call = call
        self.clock = clock
        self.begun = begun
        self.line = line
        writer = try picture.map { try Y4MWriter(path: $0, frameRate: Self.pictureRate) }
        window = writer.map { _ in PictureInPicture() }
    }

    func start() {
        let events = call.events
        tasks.append(
            Task { [weak self] in
                for await event in events { await self?.note(event) }
            })
        guard let window, let writer else { return }
        tasks.append(
            Task {
                var next = ContinuousClock.now
                while !Task.isCancelled {
                    var picture = window.current
                    picture.captureTime = .now
                    writer.receive(picture)
                    next += .nanoseconds(1_000_000_000 / Self.pictureRate)
                    try? await Task.sleep(until: next, clock: .continuous)
                }
            })
    }

    /// Ends the picture's file and says what was shown, and what could not be written.
    func finish() -> (report: IndicatorReport, failure: MediaError?) {
        for task in tasks { task.cancel() }
        detach()
        let report = IndicatorReport(switches: indicator.switches, shown: shown)
        do throws(MediaError) { try writer?.close() } catch { return (report, error) }
        return (report, nil)
    }

    private func note(_ event: CallEvent) {
        switch event {
        case .participantJoined(let participant): names[participant.id] = participant.identity
        case .trackSubscribed(let remote, let track, _) where track.kind == .video: tracks[track.id] = remote
        default: break
        }
        for action in indicator.apply(event) {
            if case .show(let appearance) = action { draw(appearance) }
        }
        if case .trackUnsubscribed(let track, _) = event { tracks[track.id] = nil }
    }

    private func draw(_ appearance: IndicatorAppearance) {
        let content = appearance.isVisible ? appearance.content : .empty
        let name = content.participantID.flatMap { names[$0] }
        let kind: IndicatorReport.Kind
        detach()
        switch content {
        case .empty:
            kind = .empty
            window?.showNothing()
        case .avatar:
            kind = .avatar
            window?.showAvatar(of: name ?? "")
        case .video(_, let track):
            kind = .video
            attach(track)
        }
        let milliseconds = (Double(clock.now.nanoseconds - begun.nanoseconds) / 1e6).rounded()
        shown.append(IndicatorReport.Shown(ms: milliseconds, participant: name, content: kind))
        line?(name.map { "indicator: \(kind.rawValue) of \($0)" } ?? "indicator: nobody")
    }

    private func attach(_ track: String) {
        guard let window, let remote = tracks[track] else { return }
        window.showVideo()
        remote.attach(window)
        attached = track
    }

    private func detach() {
        if let window, let attached { tracks[attached]?.detach(window) }
        attached = nil
    }
}

/// What the active-call indicator showed.
struct IndicatorReport: Codable {
    enum Kind: String, Codable { case empty, avatar, video }

    struct Shown: Codable {
        /// Milliseconds since the start.
        var ms: Double
        /// Nobody: nil.
        var participant: String?
        var content: Kind
    }

    /// How often another participant was shown.
    var switches = 0
    var shown: [Shown] = []
}

/// What became of a greeting.
struct GreetingSummary: Codable {
    var text: String
    /// From its beginning to the call's first sound.
    var playedMs: Double
    /// Silence between the two; nil where the call was never heard.
    var gapMs: Double?
    var overlapMs: Double

    init(_ text: String, _ output: CallAudioOutput) {
        self.text = text
        playedMs = (output.greeting.playedMilliseconds * 10).rounded() / 10
        gapMs = output.gapMilliseconds.map { ($0 * 10).rounded() / 10 }
        overlapMs = (output.overlapMilliseconds * 10).rounded() / 10
    }
}
