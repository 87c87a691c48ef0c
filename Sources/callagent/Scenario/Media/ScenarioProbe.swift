import CallBridge
import LoadCore
import MediaCore
import ScenarioCore
import Synchronization

/// Measures one track of one sender at one receiver, over all times that it is subscribed: by what is heard and seen, or by
/// the stamps in its frames.
final class ScenarioProbe: Sendable {
    let key: TrackKey
    private let measure: Measure
    private let state = Mutex(State())

    private enum Measure {
        case tone(AudioMeter, hertz: Double?)
        case card(TestCardSink)
        case stamps(StampCounter)
    }

    private struct State {
        /// As each subscription had it, by what its statistics go by.
        var sources: Set<[String]> = []
        var present: RemoteTrack?
        var read = 0
        var wrong = 0
    }

    /// - Parameters:
    ///   - sender: who sends it, and which number is on their cards and stamps.
    ///   - isCounted: nothing is decoded.
    init(_ key: TrackKey, of sender: PlannedPerson?, number: Int?, isCounted: Bool) {
        self.key = key
        if isCounted {
            measure = .stamps(StampCounter(publisher: number ?? 0))
        } else if key.media == .video {
            measure = .card(TestCardSink(expectedSender: number.map { UInt16(truncatingIfNeeded: $0) }))
        } else {
            var hertz: Double?
            if case .tone(let tone) = sender?.media.sound { hertz = tone }
            measure = .tone(AudioMeter(), hertz: hertz)
        }
    }

    func attach(to remote: RemoteTrack) {
        let isAgain = state.withLock { state in
            defer { state.present = remote }
            state.sources.insert([remote.streamID, remote.trackID])
            state.present?.detachAll()
            return state.present != nil
        }
        switch measure {
        case .tone(let meter, _): remote.attach(meter)
        case .card(let card):
            if isAgain { card.expectGap() }
            remote.attach(card)
        case .stamps(let counter): remote.count(by: counter)
        }
    }

    func detach() { state.withLock { $0.present.take()?.detachAll() } }

    // MARK: What came

    /// What came since the last call.
    func takeSlice() -> MediaSlice {
        switch measure {
        case .tone(let meter, let hertz):
            let heard = meter.measurement
            meter.reset()
            return Self.slice(heard, hertz)
        case .card(let card): return takeChange(card.report.framesRead, card.report.wrongSender)
        case .stamps(let counter):
            let counts = counter.counts
            return takeChange(counts.right, counts.wrong)
        }
    }

    /// Louder than -46 dB of full scale.
    private static let audible = 0.005
    /// Hertz that a tone may be off, which is what a window of 170 ms resolves.
    private static let tolerance = 8.0

    private static func slice(_ heard: AudioMeasurement, _ hertz: Double?) -> MediaSlice {
        guard heard.rms > audible else { return MediaSlice() }
        guard let hertz else { return MediaSlice(right: 1) }
        guard let found = heard.dominantHz else { return MediaSlice() }
        return abs(found - hertz) <= tolerance ? MediaSlice(right: 1) : MediaSlice(wrong: 1)
    }

    private func takeChange(_ read: Int, _ wrong: Int) -> MediaSlice {
        state.withLock { state in
            defer { (state.read, state.wrong) = (read, wrong) }
            return MediaSlice(right: read - state.read, wrong: wrong - state.wrong)
        }
    }

    /// What was counted on it so far; nil where nothing was.
    func counts(_ receivers: [ReceiverStatistics]) -> MediaCounts? {
        let sources = state.withLock { $0.sources }
        let kind: MediaKind = key.media == .audio ? .audio : .video
        let ours = receivers.filter { $0.kind == kind && sources.contains([$0.streamID, $0.trackID]) }
        guard var sum = ours.last else { return nil }
        for earlier in ours.dropLast().reversed() { sum.add(earlier: earlier) }
        var counts = MediaCounts(sum)
        switch measure {
        case .tone: break
        case .card(let card):
            counts.frames = card.report.framesRead
            counts.missing = card.report.missing
        case .stamps(let counter):
            counts.frames = counter.counts.right
            counts.missing = counter.counts.missing
        }
        return counts
    }
}

extension MediaCounts {
    init(_ counted: ReceiverStatistics) {
        self.init()
        packetsReceived = counted.packetsReceived
        packetsLost = counted.packetsLost
        frames = counted.framesDecoded
        freezes = counted.freezes
        frozenMs = counted.frozenMilliseconds
        concealedMs = counted.concealedMilliseconds
        playedMs = counted.playedMilliseconds
        undecryptable = counted.framesUndecryptable + (counted.framesDecoded == 0 ? counted.framesHeld : 0)
        firstFrameMs = counted.firstFrameMilliseconds
    }
}

/// Counts frames by the stamps in them.
private final class StampCounter: ReceivedFrameCounter {
    struct Counts {
        var right = 0
        var wrong = 0
        /// Numbers left out between the first and the last.
        var missing = 0
        var last: UInt32?
    }

    private let publisher: UInt32
    private let state = Mutex(Counts())

    init(publisher: Int) { self.publisher = UInt32(truncatingIfNeeded: publisher) }

    var counts: Counts { state.withLock { $0 } }

    func count(_ frame: UnsafeRawBufferPointer, packets: Int, isKeyFrame: Bool) {
        guard let stamp = MediaStamp(of: frame) else { return }
        state.withLock { counts in
            guard stamp.publisher == publisher else { return counts.wrong += 1 }
            counts.right += 1
            if let last = counts.last, stamp.number > last { counts.missing += Int(stamp.number - last - 1) }
            // One that came late was taken for missing.
            if let last = counts.last, stamp.number < last { counts.missing = max(0, counts.missing - 1) }
            counts.last = max(counts.last ?? 0, stamp.number)
        }
    }
}
