import NIOCore
import RTCCore
import RTCWire

/// Sound of one remote track: jitter buffer and decoder on the session's event loop, sinks on a worker.
// Every member but the constants is touched on the session's event loop only.
final class AudioReceiver: TrackReceiver, @unchecked Sendable {
    /// Samples of one playout tick: 20 ms at 48 kHz.
    static let tickFrames = 960

    let track: RemoteTrack
    private(set) var ssrc: UInt32?
    private let buffer: AudioJitterBuffer<OpusDecoder>
    private let encryption: FrameEncryption?
    private var opener: FrameOpener?
    /// Frames that could not be decrypted.
    private var undecryptable = 0
    /// Frames that may be encrypted, while signalling hadn't said so.
    private var held = 0
    /// Payload type of packets that carry copies; nil where none was agreed.
    private var redPayloadType: UInt8?
    private let worker: any EventLoop
    private let created: Instant
    private var firstSound: Instant?
    private var frame: [Int16]
    private var level = ReceivedAudioLevel()

    init(
        track: RemoteTrack, codecs: [NegotiatedCodec], encryption: FrameEncryption?, settings: PlayoutSettings,
        worker: any EventLoop, now: Instant
    ) throws(MediaError) {
        self.track = track
        self.encryption = encryption
        self.worker = worker
        created = now
        var configuration = AudioPlayoutConfiguration()
        configuration.minimumDelay = .milliseconds(max(0, settings.minimumDelayMilliseconds))
        configuration.maximumDelay = .milliseconds(
            max(settings.minimumDelayMilliseconds, settings.maximumDelayMilliseconds))
        buffer = AudioJitterBuffer(decoder: try OpusDecoder(channels: 1), configuration: configuration)
        frame = [Int16](repeating: 0, count: Self.tickFrames * buffer.channels)
        update(codecs: codecs)
    }

    func update(codecs: [NegotiatedCodec]) {
        redPayloadType = codecs.first { $0.name == CodecCapability.red.name }?.payloadType
    }

    func receive(_ packet: ReceivedRTP, payload: UnsafeRawBufferPointer) {
        ssrc = packet.ssrc
        // A packet of padding alone says nothing of the sound.
        if !payload.isEmpty { level.note(packet: packet.extensions.audioLevel) }
        guard let protection = FrameGate(track.protection, hasKeys: encryption != nil) else {
            if track.protection == .unknown { held += 1 } else { undecryptable += 1 }
            return
        }
        switch protection {
        case .clear: insert(payload, packet, isRED: packet.header.payloadType == redPayloadType)
        case .encrypted(let participant): open(packet, payload, participant)
        }
    }

    private func insert(_ payload: UnsafeRawBufferPointer, _ packet: ReceivedRTP, isRED: Bool) {
        // A packet of padding alone holds no frame.
        guard !payload.isEmpty else { return }
        AudioUnpacking.insert(
            payload, isRED: isRED, timestamp: packet.header.timestamp, sequence: packet.sequence, ssrc: packet.ssrc,
            arrival: packet.arrival, into: buffer)
    }

    private func open(_ packet: ReceivedRTP, _ payload: UnsafeRawBufferPointer, _ participant: String) {
        guard let encryption else { return }
        let opener = self.opener ?? FrameOpener(encryption, participant: participant, codec: .opus)
        self.opener = opener
        switch opener.open(payload) {
        case .opened(let frame), .injected(let frame): frame.withUnsafeBytes { insert($0, packet, isRED: false) }
        case .noKey: undecryptable += 1
        case .failed:
            undecryptable += 1
            guard opener.maySearch(now: packet.arrival) else { return }
            // What is found counts from the next packet on.
            let search = opener.search(Array(payload))
            worker.execute { _ = search() }
        }
    }

    /// Sound for sinks.
    struct Delivery: Sendable {
        var sinks: [any AudioSink]
        var frame: AudioFrame

        func deliver() { for sink in sinks { sink.receive(frame) } }
    }

    /// Plays the next 20 ms; nil where nobody listens, or nothing has come yet.
    ///
    /// - Parameter now: when they are due. A late tick plays what was due then, so that those that make up for it find
    ///   the sound that is theirs.
    @discardableResult
    func play(now: Instant) -> Delivery? {
        if track.isPaused { buffer.expectPause() }
        let kind = frame.withUnsafeMutableBufferPointer { buffer.pull(frames: Self.tickFrames, now: now, into: $0) }
        guard kind != .buffering else { return nil }
        firstSound = firstSound ?? now
        frame.withUnsafeBufferPointer { level.note(played: $0) }
        let sinks = track.present.audio
        guard !sinks.isEmpty else { return nil }
        let played = AudioFrame(
            samples: frame, channels: buffer.channels, time: MediaTime(nanoseconds: now.nanoseconds))
        return Delivery(sinks: sinks, frame: played)
    }

    func close() {}

    /// The loudest level since the last call.
    func takeLevel() -> UInt8? { level.take() }

    func count(into statistics: inout ReceiverStatistics) {
        let counted = buffer.statistics
        statistics.codec = CodecCapability.opus.name
        statistics.framesReceived = counted.packetsReceived
        statistics.framesDecoded = counted.packetsDecoded
        statistics.framesDropped = counted.packetsLate + counted.packetsSkipped + counted.packetsUnreadable
        statistics.framesUndecryptable = undecryptable
        statistics.framesHeld = held
        statistics.framesUndecodable = counted.packetsUnreadable
        statistics.packetsRebuilt = counted.packetsRecovered
        statistics.concealedMilliseconds = counted.concealedMilliseconds
        statistics.playedMilliseconds = Double(counted.totalSamples) / 48
        statistics.playoutDelayMilliseconds = counted.targetDelay.milliseconds
        statistics.firstFrameMilliseconds = firstSound.map { ($0 - created).milliseconds }
    }
}
