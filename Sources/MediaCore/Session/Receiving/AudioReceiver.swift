import RTCCore
import RTCWire

/// Sound of one remote track: jitter buffer and decoder, and who hears it.
struct AudioReceiver {
    /// Samples of one playout tick: 20 ms at 48 kHz.
    static let tickFrames = 960

    let track: RemoteTrack
    let number: TrackNumber
    private(set) var ssrc: UInt32?
    /// Nil where nothing is decoded.
    private let buffer: AudioJitterBuffer<OpusDecoder>?
    private let encryption: FrameEncryption?
    private var opener: FrameOpener?
    private var counters = Counters()
    /// Payload type of packets that carry copies; nil where none was agreed.
    private var redPayloadType: UInt8?
    private let created: Instant
    private var frame: [Int16]
    private var level = ReceivedAudioLevel()
    private var clock = CaptureClock(clockRate: 48_000)
    /// How long after its capture sound is played; nil where that isn't known, or none is played.
    private(set) var lag: SoundLag?

    /// What the pipeline counts beside its buffer.
    private struct Counters {
        /// Frames that could not be decrypted.
        var undecryptable = 0
        /// Frames that may be encrypted, while signalling hadn't said so.
        var held = 0
        /// Frames that came and were not to be decoded.
        var counted = 0
        var firstSound: Instant?
    }

    init(
        _ track: RemoteTrack, _ number: TrackNumber, codecs: [NegotiatedCodec], encryption: FrameEncryption?,
        settings: PlayoutSettings, reception: MediaReception = .decoded, now: Instant
    ) throws(MediaError) {
        self.track = track
        self.number = number
        self.encryption = encryption
        created = now
        var configuration = AudioPlayoutConfiguration()
        configuration.minimumDelay = .milliseconds(max(0, settings.minimumDelayMilliseconds))
        configuration.maximumDelay = .milliseconds(
            max(settings.minimumDelayMilliseconds, settings.maximumDelayMilliseconds))
        let decoder = reception == .decoded ? try OpusDecoder(channels: 1) : nil
        buffer = decoder.map { AudioJitterBuffer(decoder: $0, configuration: configuration) }
        frame = [Int16](repeating: 0, count: decoder == nil ? 0 : Self.tickFrames)
        update(codecs: codecs)
    }

    /// The line's codecs after another negotiation.
    mutating func update(codecs: [NegotiatedCodec]) {
        redPayloadType = codecs.first { $0.name == CodecCapability.red.name }?.payloadType
    }

    // MARK: Packets

    /// A packet of the track; `payload` is valid during the call.
    mutating func receive(_ packet: ReceivedRTP, payload: UnsafeRawBufferPointer, into work: SessionWork) {
        ssrc = packet.ssrc
        // A packet of padding alone says nothing of the sound.
        if !payload.isEmpty { level.note(packet: packet.extensions.audioLevel) }
        if buffer == nil {
            if !payload.isEmpty { counters.counted += 1 }
            guard track.recording.isActive.load(ordering: .relaxed) else { return }
        }
        guard let protection = FrameGate(track.protection, hasKeys: encryption != nil) else {
            if track.protection == .unknown { counters.held += 1 } else { counters.undecryptable += 1 }
            return
        }
        switch protection {
        case .clear: insert(payload, packet, isRED: packet.header.payloadType == redPayloadType)
        case .encrypted(let participant): open(packet, payload, participant, into: work)
        }
    }

    private func insert(_ payload: UnsafeRawBufferPointer, _ packet: ReceivedRTP, isRED: Bool) {
        // A packet of padding alone holds no frame.
        guard !payload.isEmpty else { return }
        track.recording.deliver(
            sound: payload, isRED: isRED, timestamp: packet.header.timestamp, arrival: packet.arrival)
        guard let buffer else { return }
        AudioUnpacking.insert(
            payload, isRED: isRED, timestamp: packet.header.timestamp, sequence: packet.sequence, ssrc: packet.ssrc,
            arrival: packet.arrival, into: buffer)
    }

    private mutating func open(
        _ packet: ReceivedRTP, _ payload: UnsafeRawBufferPointer, _ participant: String, into work: SessionWork
    ) {
        guard let encryption else { return }
        let opener = self.opener ?? FrameOpener(encryption, participant: participant, codec: .opus)
        self.opener = opener
        switch opener.open(payload) {
        case .opened(let frame), .injected(let frame): frame.withUnsafeBytes { insert($0, packet, isRED: false) }
        case .noKey: counters.undecryptable += 1
        case .failed:
            counters.undecryptable += 1
            guard opener.maySearch(now: packet.arrival) else { return }
            // What is found counts from the next packet on.
            let search = opener.search(Array(payload))
            work.jobs.append(MediaJob(lane: .pictures(number.serial), track: number, work: .searchKey(search)))
        }
    }

    // MARK: Playout

    /// Plays the next 20 ms; nil where nobody listens, or nothing has come yet.
    ///
    /// - Parameter now: when they are due. A late tick plays what was due then, so that those that make up for it find
    ///   the sound that is theirs.
    mutating func play(now: Instant) -> SoundDelivery? {
        guard let buffer else { return nil }
        if track.isPaused { buffer.expectPause() }
        let kind = frame.withUnsafeMutableBufferPointer { buffer.pull(frames: Self.tickFrames, now: now, into: $0) }
        lag = kind == .speech ? playedLag(buffer, at: now) : nil
        guard kind != .buffering else { return nil }
        counters.firstSound = counters.firstSound ?? now
        frame.withUnsafeBufferPointer { level.note(played: $0) }
        let sinks = track.present.audio
        guard !sinks.isEmpty else { return nil }
        let played = AudioFrame(
            samples: frame, channels: buffer.channels, time: MediaTime(nanoseconds: now.nanoseconds))
        return SoundDelivery(sinks: sinks, frame: played)
    }

    private func playedLag(_ buffer: AudioJitterBuffer<OpusDecoder>, at now: Instant) -> SoundLag? {
        let next = now + .milliseconds(Self.tickFrames / 48)
        guard let present = buffer.nextTimestamp.flatMap({ clock.lag(of: $0, at: next) }),
            let distance = buffer.distance(at: next)
        else { return nil }
        return SoundLag(present: present, own: present + distance)
    }

    /// A sender has told its clock.
    mutating func note(_ clock: SenderClock, roundTrip: Interval?) {
        self.clock.report = clock
        if let roundTrip { buffer?.delays.note(roundTrip: roundTrip) }
    }

    /// Pictures of the same sender come later: sound waits for them.
    func wait(_ delay: Interval) { buffer?.syncDelay = delay }

    /// The loudest level since the last call.
    mutating func takeLevel() -> UInt8? { level.take() }

    func count(into statistics: inout ReceiverStatistics) {
        statistics.codec = CodecCapability.opus.name
        guard let counted = buffer?.statistics else { return statistics.framesReceived = counters.counted }
        statistics.framesReceived = counted.packetsReceived
        statistics.framesDecoded = counted.packetsDecoded
        statistics.framesDropped = counted.packetsLate + counted.packetsSkipped + counted.packetsUnreadable
        statistics.framesUndecryptable = counters.undecryptable
        statistics.framesHeld = counters.held
        statistics.framesUndecodable = counted.packetsUnreadable
        statistics.packetsRebuilt = counted.packetsRecovered
        statistics.sound = SoundStatistics(counted)
        statistics.concealedMilliseconds = counted.concealedMilliseconds
        statistics.playedMilliseconds = Double(counted.totalSamples) / 48
        statistics.playoutDelayMilliseconds = counted.targetDelay.milliseconds
        statistics.firstFrameMilliseconds = counters.firstSound.map { ($0 - created).milliseconds }
    }
}

/// Sound for sinks.
struct SoundDelivery: Sendable {
    var sinks: [any AudioSink]
    var frame: AudioFrame

    func deliver() { for sink in sinks { sink.receive(frame) } }
}
