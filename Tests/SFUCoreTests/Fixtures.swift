import RTCCore
import RTCWire

@testable import SFUCore

/// A connection that writes down what it is given.
final class RecordingSink: ConsumerSink {
    struct Sent: Equatable {
        var packet: OutgoingRTP
        var payload: [UInt8]
        /// The dependency descriptor as it was sent.
        var descriptor: [UInt8] = []

        static func == (a: Sent, b: Sent) -> Bool {
            a.packet.sequenceNumber == b.packet.sequenceNumber && a.payload == b.payload
                && a.packet.timestamp == b.packet.timestamp
        }
    }

    var sent: [Sent] = []
    var reports: [(ntp: UInt64, timestamp: UInt32)] = []
    var accepts = true

    func forward(_ packet: OutgoingRTP, prefix: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) -> Bool {
        guard accepts else { return false }
        let descriptor = Array(packet.opaque.dependencyDescriptor)
        sent.append(Sent(packet: packet, payload: Array(prefix) + Array(payload), descriptor: descriptor))
        return true
    }

    func sendSenderReport(_ report: ForwardedReport) { reports.append((report.ntp, report.rtpTimestamp)) }

    /// When the consumer wants to be called.
    var wakes: [Instant] = []
    func wake(_ consumer: Consumer, at instant: Instant) { wakes.append(instant) }

    var sequences: [UInt16] { sent.map(\.packet.sequenceNumber) }
}

/// A publisher that writes down what it is asked for.
final class RecordingSource: ProducerSource {
    var requests: [UInt32] = []
    var keyFrames: [UInt32] = []

    func requestKeyFrame(ssrc: UInt32, isSmallest: Bool) { requests.append(ssrc) }
    func keyFrameReceived(ssrc: UInt32) { keyFrames.append(ssrc) }
}

/// A producer with one consumer between recorders.
struct Bench {
    let source = RecordingSource()
    let sink = RecordingSink()
    let statistics = ForwardingStatistics()
    let producer: Producer
    let consumer: Consumer

    init(codec: MediaCodec, firstSequence: UInt16 = 100, rtx: Bool = true) {
        let configuration = ConsumerConfiguration(
            ssrc: 7, payloadType: 120, rtxSSRC: rtx ? 8 : nil, rtxPayloadType: rtx ? 121 : nil,
            firstSequence: firstSequence, firstRTXSequence: 5)
        self.init(codec: codec, configuration)
    }

    init(codec: MediaCodec, _ configuration: ConsumerConfiguration) {
        producer = Producer(
            id: "TR_x", codec: codec, clockRate: codec.kind == .video ? 90_000 : 48_000, source: source,
            statistics: statistics)
        consumer = Consumer(configuration, producer: producer, sink: sink)
        consumer.start(now: .zero)
    }

    /// Feeds one packet.
    func feed(
        _ sequence: Int64, timestamp: UInt32, payload: [UInt8], ssrc: UInt32 = 1, rid: String? = nil,
        at now: Instant = .zero, level: UInt8? = nil, marker: Bool = false
    ) {
        let header = RTPHeader(
            marker: marker, payloadType: 96, sequenceNumber: UInt16(truncatingIfNeeded: sequence), timestamp: timestamp,
            ssrc: ssrc)
        var extensions = RTPExtensions()
        extensions.rid = rid.flatMap { ShortToken($0) }
        extensions.mid = ShortToken("9")
        extensions.absSendTime = 1
        extensions.audioLevel = level.map { AudioLevel(level: $0, voice: true) }
        let received = ReceivedRTP(
            header: header, extensions: extensions, line: 0, payload: 0..<payload.count, sequence: sequence,
            isRetransmission: false, arrival: now)
        payload.withUnsafeBytes { producer.receive(received, in: $0) }
    }
}

/// A VP8 payload: descriptor with a picture id of 15 bits and TL0PICIDX, and the first byte of a frame.
func vp8(_ pictureID: UInt16, tl0: UInt8 = 0, key: Bool = false, starts: Bool = true, body: UInt8 = 0) -> [UInt8] {
    var descriptor = VP8PayloadDescriptor()
    descriptor.startsPartition = starts
    descriptor.pictureID = pictureID
    descriptor.tl0PicIdx = tl0
    var bytes = [UInt8](repeating: 0, count: descriptor.encodedLength)
    _ = bytes.withUnsafeMutableBytes { descriptor.write(into: $0) }
    return bytes + [key ? 0x10 : 0x11, body, 3]
}

/// What the descriptor of a payload says.
func descriptor(_ payload: [UInt8]) -> VP8PayloadDescriptor? {
    payload.withUnsafeBytes { try? VP8PayloadDescriptor(parsing: $0.bytes) }
}

func milliseconds(_ value: Int) -> Instant { .zero + .milliseconds(value) }
