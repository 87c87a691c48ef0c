import RTCCore
import RTCWire

/// The sound of one local track on its way to the peer: when its frames are due, and their packets. An `AudioCoder` reads
/// and encodes them.
struct AudioSender {
    /// A frame's length.
    static let interval = Interval.milliseconds(20)

    let track: LocalTrack
    let number: TrackNumber
    let ssrc: UInt32
    private let coder: AudioCoder
    private var schedule: TickSchedule
    /// When the first frame could be due; those before it aren't late.
    private var began: Instant
    /// The coder has a job whose result has not come back.
    private var isBusy = false
    private var frames = 0
    /// Of the last frame, -dBov.
    private var level: UInt8?
    private var redundancy: AudioRedundancy?
    private var adaptation: SoundAdaptation

    init(_ track: LocalTrack, _ number: TrackNumber, stream: Stream, coder: AudioCoder, now: Instant) {
        self.track = track
        self.number = number
        self.coder = coder
        ssrc = stream.ssrc
        began = now
        schedule = .aligned(interval: AudioSender.interval, now: now)
        var bitrate = AudioEncoding().bitrate
        if case .audio(_, let encoding) = track.media { bitrate = encoding.bitrate }
        let canCopy = stream.redundantPayloadType != nil
        adaptation = SoundAdaptation(
            bitrate: bitrate, copies: canCopy ? stream.redundantFrames : 0,
            mostCopies: canCopy ? AudioRedundancy.deepest : 0)
        redundancy = stream.redundantPayloadType.map {
            AudioRedundancy(payloadType: $0, depth: stream.redundantFrames)
        }
    }

    /// What was negotiated.
    struct Stream {
        var ssrc: UInt32
        /// Of the frames inside RED packets, and of those without copies; nil where RED isn't negotiated.
        var redundantPayloadType: UInt8?
        /// Copies in each packet, whether any is lost or not.
        var redundantFrames = 0
        /// Whether the other side wants silence left out.
        var wantsDTX: Bool
    }

    /// What its packets are while nothing is lost.
    var codecName: String {
        redundancy != nil && adaptation.alwaysCopies ? CodecCapability.red.name : CodecCapability.opus.name
    }

    /// What it sends, with all headers, in bit/s.
    var wantedBitrate: Int { track.isMuted ? 0 : adaptation.wanted }

    /// Takes what the path has for it, with all headers, in bit/s; nil for no limit. Gives what it takes of that.
    ///
    /// - Parameter isPathKnown: what the path bears is measured.
    mutating func setShare(_ share: Int?, isPathKnown: Bool) -> Int {
        guard !track.isMuted else { return 0 }
        if case .audio = track.media { adaptation.setShare(share, isPathKnown: isPathKnown) }
        return adaptation.cost
    }

    /// Takes in the share that a report says was lost. Gives whether it takes more or less of the path since.
    mutating func note(loss: Double, now: Instant) -> Bool {
        let before = (wantedBitrate, adaptation.cost)
        adaptation.note(loss: loss, now: now)
        return before != (wantedBitrate, adaptation.cost)
    }

    // MARK: Time

    /// The first frame is due now.
    mutating func begin(now: Instant) {
        began = now
        schedule = .aligned(interval: AudioSender.interval, now: now)
    }

    var nextDeadline: Instant { isBusy ? .distantFuture : schedule.deadline }

    /// Has what is due read and encoded.
    mutating func advance(to now: Instant, into work: SessionWork) {
        guard nextDeadline <= now else { return }
        let due = max(schedule.deadline, began)
        let skipped = schedule.skip(at: now)
        work.wakes.append(TimedWake(due: due, now: now, skipped: skipped))
        guard let first = schedule.take(at: now) else { return }
        var order = AudioOrder(firstIndex: first.index, due: first.due, isMuted: track.isMuted)
        order.rate = adaptation.rate
        while schedule.take(at: now) != nil { order.count += 1 }
        isBusy = true
        work.jobs.append(MediaJob(lane: .sound, track: number, work: .encodeSound(coder, order)))
    }

    // MARK: Packets

    /// Sends what was encoded.
    mutating func send(_ sound: [EncodedSound], by peer: inout Peer, now: Instant, into outbox: Outbox) {
        isBusy = false
        for frame in sound { send(frame, by: &peer, now: now, into: outbox) }
    }

    private mutating func send(_ frame: EncodedSound, by peer: inout Peer, now: Instant, into outbox: Outbox) {
        var extensions = RTPExtensions()
        extensions.audioLevel = AudioLevel(level: frame.level, voice: frame.level < 60)
        level = frame.level
        let limit = peer.maximumPayload(ssrc: ssrc)
        redundancy?.depth = adaptation.copies
        let packed = redundancy?.wrap(frame.payload, timestamp: frame.timestamp, limit: limit)
        // Without copies a frame needs no RED around it: both payload types are negotiated.
        let payloadType = packed == nil ? redundancy?.payloadType : nil
        let payload = packed ?? frame.payload
        payload.withUnsafeBytes {
            let sent = peer.send(
                ssrc: ssrc, payloadType: payloadType, marker: frame.resumes, timestamp: frame.timestamp,
                captured: frame.captured, extensions: extensions, payload: $0, now: now, into: outbox)
            if sent != nil { frames += 1 }
        }
    }

    func count(into statistics: inout SenderStatistics, stream: (UInt32) -> StreamStatistics?) {
        statistics.framesSent = frames
        statistics.soundLevel = track.isMuted ? 127 : level
        guard let counted = stream(ssrc) else { return }
        statistics.packetsSent = counted.packets
        statistics.bytesSent = counted.bytes
        statistics.packetsRetransmitted = counted.retransmitted
    }
}
