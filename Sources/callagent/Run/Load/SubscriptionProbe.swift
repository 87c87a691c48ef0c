import LoadCore
import MediaCore
import Synchronization

/// Counts what one subscriber gets of one track, by what the frames say of themselves.
final class SubscriptionProbe: ReceivedFrameCounter, VideoSink {
    private struct State {
        var ledger: DeliveryLedger?
        /// When the first frame came.
        var first: MediaTime?
        /// What was told of it.
        var told = DeliveryLedger.Counts()
        /// Of the frame that is being decoded.
        var stamp: MediaStamp?
    }

    let kind: MediaKind
    /// What its publisher has sent; nil where that is none of ours.
    let truth: SentTruth?
    private let run: UInt32
    private let meters: LoadMeters
    private let clock: MediaClock
    private let state: Mutex<State>

    init(_ kind: MediaKind, of truth: SentTruth?, run: UInt32, meters: LoadMeters, clock: MediaClock = .system) {
        self.kind = kind
        self.truth = truth
        self.run = run
        self.meters = meters
        self.clock = clock
        state = Mutex(State(ledger: truth.map { DeliveryLedger(run: $0.run, publisher: $0.publisher) }))
    }

    /// When the first frame came.
    var first: MediaTime? { state.withLock { $0.first } }
    var counts: DeliveryLedger.Counts { state.withLock { $0.ledger?.counts ?? .init() } }
    /// The stream that comes, 0 for the largest.
    var layer: UInt8? { state.withLock { $0.ledger?.layer } }

    /// What it comes to now.
    ///
    /// - Parameter grace: frames that may still be on their way.
    func settled(grace: Int = 0) -> DeliveryLedger.Counts {
        let last = truth?.last ?? [:]
        return state.withLock { $0.ledger?.settled(last: last, grace: grace) ?? .init() }
    }

    /// Frames that may be on their way while both sides go on: a quarter of a second of them.
    var grace: Int { kind == .audio ? 13 : 8 }

    /// What has come since the last call.
    func takeChange(_ now: DeliveryLedger.Counts? = nil) -> DeliveryLedger.Counts {
        state.withLock { state in
            let now = now ?? state.ledger?.counts ?? .init()
            defer { state.told = now }
            return now.since(state.told)
        }
    }

    func count(_ frame: UnsafeRawBufferPointer, packets: Int, isKeyFrame: Bool) {
        let now = clock.now
        let stamp = MediaStamp(of: frame)
        if stamp == nil, ServerFiller.matches(frame, kind) { return }
        let isTimed = state.withLock { state in
            state.stamp = stamp
            state.first = state.first ?? now
            guard let stamp else {
                state.ledger = state.ledger ?? DeliveryLedger(run: 0, publisher: 0)
                state.ledger?.noteUnstamped(packets: packets, bytes: frame.count)
                return false
            }
            if state.ledger == nil { state.ledger = DeliveryLedger(run: stamp.run, publisher: stamp.publisher) }
            return state.ledger?.note(stamp, packets: packets, bytes: frame.count) ?? false
        }
        // Another process has another clock.
        guard isTimed, let stamp, stamp.run == run else { return }
        meters.latency.record(nanoseconds: now.nanoseconds - stamp.nanoseconds)
    }

    /// A decoded picture: it has to be the one that the frame says it is.
    func receive(_ frame: VideoFrame) {
        guard !frame.isFiller, let stamp = state.withLock({ $0.stamp }) else { return }
        let number = TestCardReader.read(frame)?.frameNumber
        let isRight = number.map { UInt16(truncatingIfNeeded: $0) } == stamp.clip
        meters.noteCards {
            $0.decoded += 1
            if isRight { $0.right += 1 } else { $0.wrong += 1 }
        }
    }
}

/// What a server sends of its own accord at the end of a track and while it is muted: silence, and black pictures of 8x8.
enum ServerFiller {
    private static let silence: [UInt8] = [0xf8, 0xff, 0xfe]
    private static let largestSide: UInt8 = 16

    static func matches(_ frame: UnsafeRawBufferPointer, _ kind: MediaKind) -> Bool {
        switch kind {
        case .audio: frame.count >= 3 && frame.prefix(3).elementsEqual(silence)
        // The size stands behind the frame tag and the start code of a key frame (RFC 6386 section 9.1).
        case .video:
            frame.count >= 10 && frame[0] & 1 == 0 && frame[6] <= largestSide && frame[7] == 0
                && frame[8] <= largestSide && frame[9] == 0
        }
    }
}

extension DeliveryLedger.Counts {
    /// What came after `earlier`.
    func since(_ earlier: Self) -> Self {
        var result = self
        result.expected -= earlier.expected
        result.received -= earlier.received
        result.duplicates -= earlier.duplicates
        result.packets -= earlier.packets
        result.bytes -= earlier.bytes
        result.layerSwitches -= earlier.layerSwitches
        result.unstamped -= earlier.unstamped
        result.misdelivered -= earlier.misdelivered
        return result
    }
}
