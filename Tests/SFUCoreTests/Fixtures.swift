import RTCCore
import RTCWire

@testable import SFUCore

/// What one subscriber is given.
final class RecordingSink {
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
    /// When the room wants to be called, as far as it is this subscriber's doing.
    var wakes: [Instant] = []

    func take(_ packet: ForwardedPacket) -> Bool {
        guard accepts else { return false }
        let descriptor = Array(packet.header.opaque.dependencyDescriptor)
        sent.append(
            Sent(
                packet: packet.header, payload: Array(packet.prefix) + Array(packet.payload), descriptor: descriptor))
        return true
    }

    var sequences: [UInt16] { sent.map(\.packet.sequenceNumber) }
}

/// What a publisher is asked for.
final class RecordingSource {
    var requests: [UInt32] = []
    var keyFrames: [UInt32] = []
}

/// A room of which everything is written down: its driver, with recorders for sockets.
final class RecordedRoom {
    private var room = ForwardingRoom()
    private var outbox = ForwardingOutbox()
    private var sinks: [RecordingSink] = []
    private var sources: [RecordingSource] = []
    private var deadline = Instant.distantFuture
    private(set) var ended: [ConsumerID] = []

    var statistics: ForwardingStatistics { room.statistics }
    var nextDeadline: Instant { room.nextDeadline }

    /// Sources have even numbers, sinks odd ones.
    func connection(of source: RecordingSource) -> ConnectionID {
        sources.append(source)
        return ConnectionID((sources.count - 1) * 2)
    }

    func connection(of sink: RecordingSink) -> ConnectionID {
        sinks.append(sink)
        return ConnectionID((sinks.count - 1) * 2 + 1)
    }

    /// Looks into the room.
    func read<Result>(_ body: (borrowing ForwardingRoom) -> Result) -> Result { body(room) }

    /// Has the room do something, and performs what it says.
    @discardableResult
    func perform<Result>(
        now: Instant = .zero, _ body: (inout ForwardingRoom, inout ForwardingOutbox) -> Result
    ) -> Result {
        let result = body(&room, &outbox)
        for event in outbox.events { perform(event) }
        var packet = ForwardedPacket()
        for copy in outbox.copies {
            packet.load(copy, from: outbox)
            if !sinks[copy.connection.index / 2].take(packet) { room.noteRefusal(of: copy, now: now) }
        }
        for end in outbox.ends { ended.append(end.consumer) }
        outbox.removeAll()
        if room.nextDeadline != deadline {
            deadline = room.nextDeadline
            if deadline != .distantFuture { for sink in sinks { sink.wakes.append(deadline) } }
        }
        return result
    }

    private func perform(_ event: ForwardingEvent) {
        switch event {
        case .keyFrameWanted(let ssrc, _, let connection): sources[connection.index / 2].requests.append(ssrc)
        case .keyFrameReceived(let ssrc, let connection): sources[connection.index / 2].keyFrames.append(ssrc)
        case .senderReport(let report, let connection):
            sinks[connection.index / 2].reports.append((report.ntp, report.rtpTimestamp))
        }
    }
}

/// A producer of a recorded room.
struct TestProducer {
    let room: RecordedRoom
    let id: ProducerID

    init(_ configuration: ProducerConfiguration, source: RecordingSource, in room: RecordedRoom = RecordedRoom()) {
        self.room = room
        let connection = room.connection(of: source)
        id = room.perform { room, _ in room.addProducer(configuration, from: connection) }
    }

    var layers: [LayerReport] { room.read { $0.layers(of: id) } }
    func liveLayers(_ now: Instant) -> [LayerReport] { room.read { $0.liveLayers(of: id, now: now) } }
    func loudness(now: Instant) -> Double { room.read { $0.loudness(of: id, now: now) } }

    func receive(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer) {
        room.perform(now: packet.arrival) { room, outbox in room.receive(packet, in: buffer, from: id, into: &outbox) }
    }

    func receiveSenderReport(ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32, arrival: Instant) {
        room.perform { room, outbox in
            room.receiveSenderReport(
                ssrc: ssrc, ntp: ntp, rtpTimestamp: rtpTimestamp, arrival: arrival, from: id, into: &outbox)
        }
    }

    func setMuted(_ muted: Bool, now: Instant) {
        room.perform { room, outbox in room.setMuted(muted, id, now: now, into: &outbox) }
    }

    func requestFirstKeyFrames(now: Instant) {
        room.perform { room, outbox in room.requestFirstKeyFrames(now: now, into: &outbox) }
    }

    func close() { room.perform { room, _ in room.removeProducer(id) } }
}

/// A consumer of a recorded room. One that is made of nobody does nothing.
struct TestConsumer {
    let room: RecordedRoom
    let id: ConsumerID

    init(_ configuration: ConsumerConfiguration, producer: TestProducer, sink: RecordingSink) {
        room = producer.room
        let connection = room.connection(of: sink)
        let added = room.perform { room, _ in room.addConsumer(configuration, of: producer.id, to: connection) }
        id = added ?? ConsumerID(slot: .none)
    }

    func start(now: Instant) { room.perform { room, outbox in room.start(id, now: now, into: &outbox) } }
    func stop() { room.perform { room, _ in room.removeConsumer(id) } }
    func end(now: Instant) -> Bool { room.perform { room, outbox in room.end(id, now: now, into: &outbox) } }
    func fill(now: Instant) { room.perform { room, outbox in room.advance(to: now, into: &outbox) } }

    func setPaused(_ paused: Bool, now: Instant) {
        room.perform { room, outbox in room.setPaused(paused, id, now: now, into: &outbox) }
    }

    func setLayerLimit(_ limit: Int, now: Instant) {
        room.perform { room, outbox in room.setLayerLimit(limit, id, now: now, into: &outbox) }
    }

    func setFrameRateLimit(_ limit: Int?, now: Instant) {
        room.perform { room, outbox in room.setFrameRateLimit(limit, id, now: now, into: &outbox) }
    }

    func setAllocation(_ point: LayerPoint, now: Instant) {
        room.perform { room, outbox in room.setAllocation(point, id, now: now, into: &outbox) }
    }

    func requestKeyFrame(now: Instant) {
        room.perform { room, outbox in room.requestKeyFrame(id, now: now, into: &outbox) }
    }

    func resend(_ sequences: [UInt16], now: Instant, spacing: Interval) {
        resend(sequences, now: now, spacing: RepetitionSpacing(spacing))
    }

    func resend(_ sequences: [UInt16], now: Instant, spacing: RepetitionSpacing) {
        room.perform { room, outbox in room.resend(sequences, id, now: now, spacing: spacing, into: &outbox) }
    }

    func repeatLatest(_ count: Int) { room.perform { room, outbox in room.repeatLatest(count, id, into: &outbox) } }

    func senderReport(now: Instant) -> ForwardedReport? { room.read { $0.senderReport(id, now: now) } }
    var isFilling: Bool { room.read { $0.isFilling(id) } }
    var sent: (packets: Int, bytes: Int) { room.read { $0.sent(id) } }
    var currentLayer: Int? { room.read { $0.currentLayers(id)?.spatial } }
    var currentTemporalLayer: Int? { room.read { $0.currentLayers(id)?.temporal } }
}

/// A producer with one consumer between recorders.
struct Bench {
    let source = RecordingSource()
    let sink = RecordingSink()
    let producer: TestProducer
    let consumer: TestConsumer

    var statistics: ForwardingStatistics { producer.room.statistics }

    init(codec: MediaCodec, firstSequence: UInt16 = 100, rtx: Bool = true) {
        let configuration = ConsumerConfiguration(
            ssrc: 7, payloadType: 120, rtxSSRC: rtx ? 8 : nil, rtxPayloadType: rtx ? 121 : nil,
            firstSequence: firstSequence, firstRTXSequence: 5)
        self.init(codec: codec, configuration)
    }

    init(codec: MediaCodec, _ configuration: ConsumerConfiguration) {
        self.init(
            ProducerConfiguration(codec: codec, clockRate: codec.kind == .video ? 90_000 : 48_000), configuration)
    }

    init(_ published: ProducerConfiguration, _ configuration: ConsumerConfiguration) {
        producer = TestProducer(published, source: source)
        consumer = TestConsumer(configuration, producer: producer, sink: sink)
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
