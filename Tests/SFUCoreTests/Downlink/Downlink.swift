import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import SFUCore

/// Certificates are slow to make and say nothing here.
let downlinkCertificates: (alice: DTLSCertificate, bob: DTLSCertificate)? = {
    guard let alice = try? DTLSCertificate.generate(), let bob = try? DTLSCertificate.generate() else { return nil }
    return (alice, bob)
}()

/// A room, the server's peer towards one subscriber, that subscriber's own, which estimates what its way bears, and a seeded
/// bottleneck between them; with the loop that chooses layers, as the server runs it.
final class Downlink {
    /// What one layer of a camera makes.
    struct Layer {
        var rid: String?
        var bitrate: Double
        var keyFrameBytes: Int
    }

    enum Telling: CaseIterable {
        /// Reports alone.
        case nothing
        /// REMB.
        case estimate
        /// When each packet came; the server estimates.
        case packets
    }

    let pair: PeerPair
    private var room = ForwardingRoom()
    private var outbox = ForwardingOutbox()
    private(set) var cameras: [Camera] = []
    private var microphone: (producer: ProducerID, consumer: ConsumerID, sequence: Int64)?
    private(set) var capacity = ChannelCapacity()
    private var sent = RateMeter()
    private var beside = RateMeter()
    private var rates: [UInt32: LayerRates] = [:]
    private var cost = 0
    private var nextCost: Int?
    private var probe = SubscriberProbe()
    /// Of each camera, by its number.
    private var allocated: [UInt32: LayerPoint] = [:]
    private var loss = ReportedLoss()
    /// How long publishers take to hear that a key frame is wanted.
    var keyFrameDelay = Interval.zero
    /// What is lost of what is published, before it comes to the server, 0...1.
    var lossBefore = 0.0
    private var luck: SeededGenerator
    private var missing = MissingShare()
    private var wasOverrun = false
    /// The largest picture that the subscriber wants, as a rank.
    var wanted = 2
    private let conditions: NetworkConditions
    private let telling: Telling
    private let isPaced: Bool
    private var joining = JoinPacing()
    private var repetitions = RepetitionAllowance()
    private let start: Instant

    /// Seconds since the beginning, and milliseconds.
    private(set) var soundDelays: [(at: Double, delay: Double)] = []
    private(set) var pictureDelays: [(at: Double, delay: Double)] = []
    private(set) var queues: [(at: Double, delay: Double)] = []
    /// The layer of the first camera that is sent; -1 for none.
    private(set) var layers: [(at: Double, layer: Int)] = []
    /// What has left for the subscriber, in bytes; each five milliseconds.
    private(set) var left: [Int] = []

    /// - Parameters:
    ///   - telling: what the subscriber says of its way.
    ///   - isPaced: what is sent to it is paced by that.
    ///   - conditions: of both ways, but for the rate and the queue.
    init(
        rate: Int?, telling: Telling = .estimate, isPaced: Bool = true, seed: UInt64,
        queue: Interval = .milliseconds(600),
        conditions: NetworkConditions = NetworkConditions(delay: .milliseconds(30), jitter: .milliseconds(2))
    ) throws {
        let certificates = try #require(downlinkCertificates)
        self.conditions = conditions
        pair = PeerPair(conditions, seed: seed, certificates: certificates) { configuration, isAlice in
            if isAlice {
                configuration.rtcp = .forwarding
                configuration.forwards = true
            }
            configuration.maximumDatagram = 1472
        }
        (self.telling, self.isPaced) = (telling, isPaced)
        luck = SeededGenerator(seed: seed &+ 77)
        start = pair.simulation.now
        pair.connect()
        try #require(pair.runUntilConnected())
        setRate(rate, queue: queue)
        pair.alice.onEvent = { [unowned self] event in
            // Not within the peer's own turn.
            pair.simulation.schedule(at: pair.simulation.now) { [unowned self] in take(event) }
        }
        pair.bob.onPacket = { [unowned self] packet, buffer in arrived(packet, buffer) }
        every(.milliseconds(250)) { [unowned self] in share() }
        every(SubscriberProbe.step) { [unowned self] in stepProbe() }
        every(.milliseconds(5)) { [unowned self] in sample() }
    }

    var seconds: Double { (pair.simulation.now - start).seconds }
    func run(_ seconds: Double) { pair.simulation.run(for: .seconds(seconds)) }

    func setRate(_ rate: Int?, queue: Interval = .milliseconds(600)) {
        var conditions = conditions
        conditions.rate = rate
        conditions.queue = queue
        pair.simulation.network.set(conditions, from: pair.alice.address, to: pair.bob.address)
    }

    /// Repetitions that nobody was given, but for those that were under way already.
    var refused: Int { room.statistics.retransmissionsRefused - room.statistics.retransmissionsUnderWay }

    var overflowed: Int {
        pair.simulation.network.statistics(from: pair.alice.address, to: pair.bob.address).overflowed
    }

    private func every(_ interval: Interval, _ body: @escaping () -> Void) {
        pair.simulation.schedule(every: interval, from: pair.simulation.now) {
            body()
            return true
        }
    }

    // MARK: Publishing

    /// A picture of each layer thirty times a second; key frames when asked, every `keyFrames` seconds besides.
    func addCamera(_ layers: [Layer], keyFrames: Double? = nil, phase: Double = 0) {
        let number = UInt32(cameras.count + 1)
        let producer = room.addProducer(
            ProducerConfiguration(codec: .vp8, clockRate: 90_000), from: ConnectionID(Int(number)))
        cameras.append(Camera(number: number, producer: producer, layers: layers))
        let index = cameras.count - 1
        let first = pair.simulation.now + .seconds(phase)
        pair.simulation.schedule(every: .seconds(1.0 / 30), from: first) { [unowned self] in
            shoot(index)
            return true
        }
        guard let keyFrames else { return }
        pair.simulation.schedule(every: .seconds(keyFrames), from: first) { [unowned self] in
            cameras[index].wantsKey = Set(layers.indices)
            return true
        }
    }

    private func shoot(_ index: Int) {
        let now = pair.simulation.now
        for (layer, made) in cameras[index].shoot(now) {
            for packet in made {
                var extensions = RTPExtensions()
                extensions.rid = cameras[index].layers[layer].rid.flatMap { ShortToken($0) }
                receive(packet.header, packet.sequence, packet.payload, extensions, from: cameras[index].producer)
            }
        }
    }

    /// Fifty packets a second of 80 bytes.
    func addMicrophone() {
        let producer = room.addProducer(ProducerConfiguration(codec: .opus, clockRate: 48_000), from: ConnectionID(99))
        let configuration = ConsumerConfiguration(
            ssrc: 50_000, payloadType: 111, firstSequence: 1, firstRTXSequence: 1)
        guard let consumer = room.addConsumer(configuration, of: producer, to: ConnectionID(0)) else { return }
        let stream = SendStreamConfiguration(
            ssrc: 50_000, payloadType: 111, clockRate: 48_000, kind: .audio, mid: ShortToken("a"),
            extensionMap: RTPExtensionMap([(3, .mid)]), cache: .external)
        microphone = (producer, consumer, 0)
        pair.drive(pair.alice) { peer, _, _ in peer.addSendStream(stream) }
        perform { room, outbox, now in room.start(consumer, now: now, into: &outbox) }
        every(.milliseconds(20)) { [unowned self] in talk() }
        describe()
    }

    private func talk() {
        guard let (producer, _, sequence) = microphone else { return }
        microphone?.sequence += 1
        let header = RTPHeader(
            marker: false, payloadType: 111, sequenceNumber: UInt16(truncatingIfNeeded: sequence),
            timestamp: UInt32(truncatingIfNeeded: sequence &* 960), ssrc: 49_999)
        let payload = [UInt8](repeating: 1, count: 72) + Camera.bytes(of: pair.simulation.now)
        receive(header, sequence, payload, RTPExtensions(), from: producer)
    }

    private func receive(
        _ header: RTPHeader, _ sequence: Int64, _ payload: [UInt8], _ extensions: RTPExtensions, from id: ProducerID
    ) {
        let now = pair.simulation.now
        guard lossBefore == 0 || Double.random(in: 0..<1, using: &luck) >= lossBefore else { return }
        let received = ReceivedRTP(
            header: header, extensions: extensions, line: 0, payload: 0..<payload.count, sequence: sequence,
            isRetransmission: false, arrival: now)
        payload.withUnsafeBytes { bytes in
            perform { room, outbox, _ in room.receive(received, in: bytes, from: id, into: &outbox) }
        }
    }

    // MARK: Subscribing

    /// The subscriber gets every camera from now on, all in one moment.
    func subscribe() {
        for index in cameras.indices where cameras[index].consumer == nil {
            let ssrc = 10_000 + cameras[index].number * 10
            let configuration = ConsumerConfiguration(
                ssrc: ssrc, payloadType: 96, rtxSSRC: ssrc + 1, rtxPayloadType: 97, firstSequence: 1,
                firstRTXSequence: 1)
            cameras[index].consumer = room.addConsumer(configuration, of: cameras[index].producer, to: ConnectionID(0))
            let stream = SendStreamConfiguration(
                ssrc: ssrc, rtxSSRC: ssrc + 1, payloadType: 96, rtxPayloadType: 97, clockRate: 90_000, kind: .video,
                mid: ShortToken("v\(cameras[index].number)"),
                extensionMap: videoExtensions, cache: .external)
            pair.drive(pair.alice) { peer, _, _ in peer.addSendStream(stream) }
        }
        describe()
        joining.begin(bytes: picturesSent, now: pair.simulation.now)
        if isPaced, capacity.pace(cost: 0, now: pair.simulation.now) == nil { setPace(.joining) }
        for camera in cameras {
            guard let consumer = camera.consumer else { continue }
            perform { room, outbox, now in room.start(consumer, now: now, into: &outbox) }
        }
    }

    /// Numbers where they are answered, as `MediaLine.sendStream` says.
    private var videoExtensions: RTPExtensionMap {
        RTPExtensionMap([(3, .mid), telling == .packets ? (4, .transportSequenceNumber) : (2, .absSendTime)])
    }

    /// Tells the subscriber what it gets.
    private func describe() {
        let codecs: [ReceiveMap.Codec] = [
            .init(
                payloadType: 96, clockRate: 90_000, nack: true, pli: true, transportCC: telling == .packets,
                remb: telling == .estimate),
            .init(payloadType: 97, clockRate: 90_000, apt: 96),
        ]
        var lines = cameras.filter { $0.consumer != nil }.map { camera in
            let ssrc = 10_000 + camera.number * 10
            return ReceiveMap.Line(
                index: Int(camera.number), kind: .video, mid: ShortToken("v\(camera.number)"), codecs: codecs,
                extensionMap: videoExtensions,
                sources: [.init(ssrc: ssrc, rtxSSRC: ssrc + 1)])
        }
        lines.append(
            ReceiveMap.Line(
                index: 0, kind: .audio, mid: ShortToken("a"), codecs: [.init(payloadType: 111, clockRate: 48_000)],
                extensionMap: RTPExtensionMap([(3, .mid)]), sources: [.init(ssrc: 50_000)]))
        pair.bob.peer.setReceiveMap(ReceiveMap(lines: lines))
    }

    private func arrived(_ packet: ReceivedRTP, _ buffer: UnsafeRawBufferPointer) {
        guard packet.payload.count >= 8 else { return }
        let payload = UnsafeRawBufferPointer(rebasing: buffer[packet.payload])
        let made = Instant(nanoseconds: payload.loadUnaligned(fromByteOffset: payload.count - 8, as: Int64.self))
        let entry = (seconds, (pair.simulation.now - made).milliseconds)
        if packet.ssrc == 50_000 { soundDelays.append(entry) } else { pictureDelays.append(entry) }
    }

    // MARK: The server's part

    private func perform(_ body: (inout ForwardingRoom, inout ForwardingOutbox, Instant) -> Void) {
        let now = pair.simulation.now
        body(&room, &outbox, now)
        for event in outbox.events {
            guard case .keyFrameWanted(let ssrc, _, _) = event else { continue }
            pair.simulation.schedule(at: now + keyFrameDelay) { [unowned self] in
                for index in cameras.indices { cameras[index].askForKeyFrame(ssrc, now) }
            }
        }
        guard !outbox.copies.isEmpty else { return outbox.removeAll() }
        pair.drive(pair.alice) { peer, now, network in
            var packet = ForwardedPacket()
            for index in outbox.copies.indices {
                packet.load(outbox.copies[index], from: outbox)
                let isSent = peer.forward(
                    packet.header, prefix: packet.prefix, payload: packet.payload, now: now, into: network)
                if !isSent { room.noteRefusal(of: outbox.copies[index], now: now) }
            }
        }
        outbox.removeAll()
    }

    private func take(_ event: PeerEvent) {
        func consumer(_ ssrc: UInt32) -> ConsumerID? {
            cameras.first { 10_000 + $0.number * 10 == ssrc }?.consumer
        }
        switch event {
        case .nack(let ssrc, let sequences):
            guard let consumer = consumer(ssrc) else { return }
            joining.note(missing: missing.note(room.sequencesSent(sequences, consumer), of: ssrc))
            judgeJoin()
            let spacing = pair.alice.peer.repetitionSpacing
            perform { room, outbox, now in
                room.resend(
                    sequences, consumer, now: now, spacing: spacing, within: &repetitions, into: &outbox)
            }
        case .keyFrameRequest(let ssrc):
            guard let consumer = consumer(ssrc) else { return }
            perform { room, outbox, now in room.requestKeyFrame(consumer, now: now, into: &outbox) }
        case .receiverReport(let ssrc, let fraction, let cumulative, _, _):
            guard let consumer = consumer(ssrc) else { return }
            loss.note(fraction: fraction, cumulative: cumulative, of: ssrc, row: room.row(consumer))
            capacity.note(loss: loss.take(), sent: Int(sent.bitrate), now: pair.simulation.now)
        case .receiverEstimate(let bitrate, _):
            let now = pair.simulation.now
            joining.note(estimate: bitrate)
            guard !judgeJoin() else { return }
            let before = capacity.limit ?? .max
            capacity.note(estimate: bitrate, sent: Int(sent.bitrate), now: now)
            if capacity.limit ?? .max < before { allocate(now) }
        default: break
        }
    }

    private func share() {
        let now = pair.simulation.now
        sent.update(picturesSent, now: now)
        let sound = microphone.map { room.sent($0.consumer) } ?? (packets: 0, bytes: 0)
        beside.update(sound.bytes + 50 * sound.packets, now: now)
        let packets = cameras.compactMap(\.consumer).reduce(0) { $0 + room.sent($1).packets }
        capacity.note(missing: missing.take(sent: packets), sent: Int(sent.bitrate), now: now)
        capacity.note(backlog: pair.alice.peer.pacingBacklog, now: now)
        capacity.advance(to: now, nextCost: nextCost, sent: Int(sent.bitrate), canProbe: true)
        for report in cameras.flatMap({ room.layers(of: $0.producer) }) {
            rates[report.ssrc, default: LayerRates()].update(report.layerBytes, now: now)
        }
        allocate(now)
    }

    private func sentSinceJoin(_ now: Instant) -> Int? {
        joining.note(first: firstPicture)
        return joining.average(picturesSent, now: now)
    }

    private var firstPicture: Instant? { cameras.compactMap(\.consumer).compactMap { room.began($0) }.min() }

    private var picturesSent: Int { cameras.compactMap(\.consumer).reduce(0) { $0 + room.sent($1).bytes } }

    @discardableResult
    private func judgeJoin() -> Bool {
        let now = pair.simulation.now
        guard cameras.contains(where: { $0.layers.count > 1 }), let estimate = joining.estimate,
            let sent = sentSinceJoin(now),
            capacity.note(
                early: estimate, sent: sent, missing: joining.missing, hasFallen: joining.hasFallen(below: cost),
                now: now)
        else { return false }
        allocate(now)
        return true
    }

    private func allocate(_ now: Instant) {
        let demands = cameras.filter { $0.consumer != nil }.map { demand($0, now) }.filter { !$0.layers.isEmpty }
        let allocation = BitrateAllocation(demands, capacity: capacity.available, mayPause: false)
        (cost, nextCost) = (allocation.cost, allocation.nextCost)
        let isOverrun = capacity.isOverrun(sent: max(Int(sent.bitrate), sentSinceJoin(now) ?? 0))
        repetitions.set(
            limit: capacity.limit, sent: Int(sent.bitrate), cost: allocation.cost, queue: capacity.queue(now: now),
            now: now)
        let pace = capacity.pace(cost: allocation.cost, beside: Int(beside.bitrate), now: now)
        if isPaced, pace != nil || joining.hasEnded(now: now) { setPace(pace) }
        if isOverrun, !wasOverrun, demands.contains(where: { $0.layers.first?.rank != $0.layers.last?.rank }) {
            pair.drive(pair.alice) { peer, now, _ in _ = peer.dropBacklog(longerThan: .milliseconds(50), now: now) }
        }
        wasOverrun = isOverrun
        for camera in cameras {
            guard let consumer = camera.consumer, case .upTo(let point)? = allocation.shares["\(camera.number)"] else {
                continue
            }
            allocated[camera.number] = point
            perform { room, outbox, now in
                room.setAllocation(point, isOverrun: isOverrun, consumer, now: now, into: &outbox)
            }
        }
    }

    /// Repeats recent packets of the first camera while more is tried.
    private func stepProbe() {
        guard let wanted = capacity.probedBitrate, let consumer = cameras.first?.consumer else {
            return probe = SubscriberProbe()
        }
        let isWaiting = pair.alice.peer.pacingBacklog > .zero
        let count = probe.due(
            missing: wanted - Int(sent.bitrate), isWaiting: isWaiting, now: pair.simulation.now)
        guard count > 0 else { return }
        perform { room, outbox, _ in probe.note(bytes: room.repeatLatest(count, consumer, into: &outbox)) }
    }

    private func setPace(_ pace: SubscriberPace?) {
        pair.drive(pair.alice) { peer, now, network in peer.setSubscriberPace(pace, now: now, into: network) }
    }

    private func demand(_ camera: Camera, _ now: Instant) -> VideoDemand {
        let live = room.liveLayers(of: camera.producer, now: now)
        let layers = live.flatMap { layer in
            rates[layer.ssrc]?.choices(rank: layer.rank, isSmallest: layer.ssrc == live.first?.ssrc) ?? []
        }
        return VideoDemand(
            track: "\(camera.number)", priority: 1, wanted: wanted, layers: layers,
            current: capacity.keepsLayers(now: now) ? allocated[camera.number] : nil)
    }

    private func sample() {
        let delay = pair.simulation.network.queueDelay(
            from: pair.alice.address, to: pair.bob.address, at: pair.simulation.now)
        queues.append((seconds, delay.milliseconds))
        left.append(pair.alice.peer.statistics.bytesSent)
        guard let consumer = cameras.first?.consumer else { return }
        layers.append((seconds, room.currentLayers(consumer)?.spatial ?? -1))
    }
}

extension [(at: Double, delay: Double)] {
    /// Of a stretch of time, in milliseconds; 0 where nothing is known of it.
    func percentile(_ part: Double, from: Double = 0, to: Double = .infinity) -> Double {
        let delays = filter { $0.at >= from && $0.at < to }.map(\.delay).sorted()
        return delays.isEmpty ? 0 : delays[Int(part * Double(delays.count - 1))].rounded()
    }
}
