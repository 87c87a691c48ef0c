import NIOCore
import RTCCore
import RTCTransport
import RTCWire

/// Pulls an audio source every 20 ms on a worker, encodes, and hands packets to the peer on its event loop.
// `encoder`, `sealer`, `frame` and `isSilent` are touched on `worker` only, `counters` and `redundancy` on the flow's
// event loop only.
final class AudioSender: TrackSender, @unchecked Sendable {
    private static let frameInterval = Interval.milliseconds(20)

    /// What was negotiated.
    struct Stream {
        var ssrc: UInt32
        /// Of the frames inside RED packets; nil where RED isn't used.
        var redundantPayloadType: UInt8?
        /// Whether the other side wants silence left out.
        var wantsDTX: Bool
    }

    let track: LocalTrack
    let ssrc: UInt32
    private let source: any AudioSource
    private let encoder: OpusEncoder
    private let sealer: FrameSealer?
    private let worker: any EventLoop
    private let wakes: WakeMeter
    private let flow: PeerFlow
    private var frame: AudioFrame
    private var packet = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
    private var pump: PeriodicPump?
    private let firstTimestamp: UInt32
    /// The last frame said that silence follows, and nothing was sent since.
    private var isSilent = false
    private var counters = SenderCounters()
    private var redundancy: AudioRedundancy?

    init(
        track: LocalTrack, source: any AudioSource, encoding: AudioEncoding, stream: Stream, flow: PeerFlow,
        worker: any EventLoop, wakes: WakeMeter, sealer: FrameSealer? = nil
    ) throws(MediaError) {
        self.track = track
        self.source = source
        self.sealer = sealer
        self.wakes = wakes
        self.flow = flow
        self.worker = worker
        ssrc = stream.ssrc
        var settings = OpusEncoderConfiguration(channels: source.channels, bitrate: encoding.bitrate)
        settings.complexity = encoding.complexity
        settings.inbandFEC = encoding.inbandFEC
        settings.dtx = encoding.dtx && stream.wantsDTX
        encoder = try OpusEncoder(settings)
        frame = AudioFrame(silence: settings.frameCount, channels: source.channels)
        firstTimestamp = .random(in: 0...UInt32.max)
        redundancy = stream.redundantPayloadType.map {
            AudioRedundancy(payloadType: $0, depth: encoding.redundantFrames)
        }
    }

    var ssrcs: [UInt32] { [ssrc] }

    func start() {
        let pump = PeriodicPump(loop: worker, interval: AudioSender.frameInterval, meter: wakes) {
            [weak self] index, time in self?.tick(index: index, time: time)
        }
        self.pump = pump
        pump.start()
    }

    func stop() { pump?.stop() }

    func keyFrameRequested(ssrc: UInt32) {}

    func setActiveLayers(_ rids: Set<String>) {}

    func setTargetBitrate(_ bitrate: Int?) {}

    private func tick(index: Int, time: Instant) {
        _ = source.read(into: &frame)
        guard !track.isMuted else { return }
        let level = frame.samples.withUnsafeBufferPointer { PCMLevel.level($0) }
        let length = frame.samples.withUnsafeBufferPointer { samples in
            packet.withUnsafeMutableBytes { (try? encoder.encode(samples, into: $0)) ?? 0 }
        }
        guard length > 0 else { return }
        // With DTX, two bytes or fewer say that there is nothing worth sending. The first of them goes out all the same:
        // it tells the decoder that silence begins.
        let wasSilent = isSilent
        isSilent = encoder.configuration.dtx && length <= 2
        guard !isSilent || !wasSilent else { return }
        let timestamp = firstTimestamp &+ UInt32(truncatingIfNeeded: index) &* UInt32(encoder.configuration.frameCount)
        var payload = Array(packet[..<length])
        if let sealer {
            guard let sealed = sealer.seal(payload, codec: .opus, timestamp: timestamp) else { return }
            payload = sealed
        }
        let sent = payload
        flow.eventLoop.execute { [self] in
            send(sent, timestamp: timestamp, level: level, resumes: wasSilent, captured: time)
        }
    }

    private func send(_ payload: [UInt8], timestamp: UInt32, level: UInt8, resumes: Bool, captured: Instant) {
        var extensions = RTPExtensions()
        extensions.audioLevel = AudioLevel(level: level, voice: level < 60)
        flow.perform { peer, outbox, now in
            let limit = peer.maximumPayload(ssrc: ssrc)
            guard let whole = packed(payload, timestamp: timestamp, limit: limit) else { return }
            whole.withUnsafeBytes {
                let sent = peer.send(
                    ssrc: ssrc, marker: resumes, timestamp: timestamp, captured: captured, extensions: extensions,
                    payload: $0, now: now, into: outbox)
                if sent != nil { counters.frames += 1 }
            }
        }
    }

    /// The frame as the negotiated payload type has it; nil where RED has no room for it: a frame without RED's header
    /// would be read as something else.
    private func packed(_ payload: [UInt8], timestamp: UInt32, limit: Int) -> [UInt8]? {
        redundancy == nil ? payload : redundancy?.wrap(payload, timestamp: timestamp, limit: limit)
    }

    func count(into statistics: inout SenderStatistics, stream: (UInt32) -> StreamStatistics?) {
        statistics.framesSent = counters.frames
        guard let counted = stream(ssrc) else { return }
        statistics.packetsSent = counted.packets
        statistics.bytesSent = counted.bytes
        statistics.packetsRetransmitted = counted.retransmitted
    }
}

/// Puts the frames sent last in front of each new one (RFC 2198).
struct AudioRedundancy {
    private let payloadType: UInt8
    private let depth: Int
    private var earlier: [RedundantAudio.Frame] = []
    private var buffer = [UInt8](repeating: 0, count: 1500)

    /// - Parameters:
    ///   - payloadType: of the frames themselves.
    ///   - depth: copies in a packet, held to 1...2.
    init(payloadType: UInt8, depth: Int) {
        self.payloadType = payloadType
        self.depth = min(max(depth, 1), 2)
    }

    /// The payload to send for a frame; nil where not even the frame fits.
    ///
    /// - Parameter limit: the longest payload, bytes.
    mutating func wrap(_ payload: [UInt8], timestamp: UInt32, limit: Int) -> [UInt8]? {
        let frame = RedundantAudio.Frame(timestamp: timestamp, payload: payload)
        defer {
            if earlier.count >= depth { earlier.removeFirst(earlier.count - depth + 1) }
            earlier.append(frame)
        }
        let length = buffer.withUnsafeMutableBytes { target in
            RedundantAudio.write(
                frame, after: earlier, payloadType: payloadType,
                into: UnsafeMutableRawBufferPointer(rebasing: target[..<min(target.count, max(0, limit))]))
        }
        return length > 0 ? Array(buffer[..<length]) : nil
    }
}
