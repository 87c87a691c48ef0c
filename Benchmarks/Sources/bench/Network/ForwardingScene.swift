import NIOCore
import RTCCore
import RTCTransport
import RTCWire
import SFUCore

/// A room of the server on one event loop: one publisher, consumers of both its tracks for each subscriber. The clients
/// are real peers on sockets of their own, polled by the caller.
final class ForwardingScene {
    let thread: LoopThread
    private let server: RoomServer
    private let publisher: PlainPeer
    private let subscribers: [PlainPeer]
    private var pattern: SendPattern

    /// Connects everybody.
    init(_ profile: SRTPProfile, subscribers count: Int, segmentation: Bool, packetsPerPicture: Int = 2) throws {
        pattern = SendPattern(packetsPerPicture: packetsPerPicture)
        thread = try LoopThread()
        var settings = UDPMuxConfiguration()
        settings.segmentationOffload = segmentation
        let mux = try UDPMux.bind(on: thread.loop, host: "127.0.0.1", port: 0, configuration: settings).wait()
        let server = RoomServer(mux: mux, profile: profile, certificate: try DTLSCertificate.generate())
        self.server = server
        let configuration = PeerConfiguration.bench(.controlling, try DTLSCertificate.generate(), profile)
        publisher = try PlainPeer(configuration)
        subscribers = try (0..<count).map { _ in try PlainPeer(configuration) }
        let (thread, own) = (thread, publisher.transport)
        publisher.connect(to: try thread.perform { try server.addPublisher(own) }, as: .client)
        publisher.perform { peer, _, _ in
            for kind in [StreamKind.audio, .video] { peer.addSendStream(Streams.sending(kind)) }
        }
        for subscriber in subscribers {
            let theirs = subscriber.transport
            subscriber.connect(to: try thread.perform { try server.addSubscriber(theirs) }, as: .client)
            subscriber.perform { peer, _, _ in peer.setReceiveMap(Streams.receiving) }
        }
        try awaitConnection(of: [publisher] + subscribers)
        // A side is connected when it has heard what it waits for: the server's checks may still be unanswered.
        try SendPattern.settle(poll) { try thread.perform { server.isConnected } }
    }

    /// Lets the publisher send for `seconds`.
    ///
    /// - Returns: microseconds of the loop's CPU for each packet that reached a subscriber.
    func window(seconds: Double) throws -> Double {
        poll()
        let packets = arrived
        let start = thread.clock.nanoseconds
        let sent = pattern.run(seconds: seconds, send: publisher.send, idle: poll)
        let expected = sent * subscribers.count
        SendPattern.settle(poll) { arrived - packets >= expected }
        let spent = thread.clock.nanoseconds - start
        let count = arrived - packets
        guard count * 100 > expected * 98 else { throw BenchError("only \(count) of \(expected) packets arrived") }
        return Double(spent) / Double(count) / 1000
    }

    private var arrived: Int { subscribers.reduce(0) { $0 + $1.packets } }

    func close() throws {
        let (server, thread) = (server, thread)
        try thread.loop.flatSubmit { server.mux.close() }.wait()
        try thread.shutDown()
        pattern.free()
    }

    private func poll() {
        publisher.poll()
        for subscriber in subscribers { subscriber.poll() }
    }
}

/// The server's side, wired as a call server wires it.
// Every member is touched on the mux's event loop only.
final class RoomServer: PeerFlowHandler, @unchecked Sendable {
    let mux: UDPMux
    private let profile: SRTPProfile
    private let certificate: DTLSCertificate
    private var room = ForwardingRoom()
    private var outbox = ForwardingOutbox()
    private var ingress = Ingress()
    private var producers: [(id: ProducerID, kind: StreamKind)] = []
    /// By the number that the room knows them by, the publisher first.
    private var flows: [PeerFlow] = []

    init(mux: UDPMux, profile: SRTPProfile, certificate: DTLSCertificate) {
        self.mux = mux
        self.profile = profile
        self.certificate = certificate
    }

    func addPublisher(_ remote: RemoteTransport) throws -> RemoteTransport {
        for (line, codec) in [MediaCodec.opus, .vp8].enumerated() {
            let producer = room.addProducer(
                ProducerConfiguration(codec: codec, clockRate: line == 0 ? 48_000 : 90_000), from: ConnectionID(0))
            ingress[line: line] = producer
            producers.append((producer, codec.kind))
        }
        let flow = try makeFlow(remote, handler: self)
        flow.perform { peer, _, _ in peer.setReceiveMap(Streams.receiving) }
        flows.append(flow)
        return RemoteTransport(peer: flow.peer)
    }

    func addSubscriber(_ remote: RemoteTransport) throws -> RemoteTransport {
        let flow = try makeFlow(remote, handler: nil)
        flows.append(flow)
        for (producer, kind) in producers {
            let stream = Streams.sending(kind, cache: .external)
            flow.perform { peer, _, _ in peer.addSendStream(stream) }
            let configuration = ConsumerConfiguration(
                ssrc: stream.ssrc, payloadType: stream.payloadType, firstSequence: 100, firstRTXSequence: 0)
            guard let consumer = room.addConsumer(configuration, of: producer, to: ConnectionID(flows.count - 1)) else {
                throw BenchError("the track has ended")
            }
            room.start(consumer, now: .now, into: &outbox)
        }
        outbox.removeAll()
        return RemoteTransport(peer: flow.peer)
    }

    var isConnected: Bool { flows.allSatisfy { $0.peer.isConnected } }

    private func makeFlow(_ remote: RemoteTransport, handler: (any PeerFlowHandler)?) throws -> PeerFlow {
        let configuration = PeerConfiguration.bench(.controlled, certificate, profile)
        guard let flow = mux.makeFlow(configuration: configuration, handler: handler) else {
            throw BenchError("the server takes no more peers")
        }
        flow.perform { peer, outbox, now in
            peer.addLocalCandidate(mux.localAddress)
            remote.introduce(to: &peer, as: .server, now: now, into: outbox)
        }
        return flow
    }

    func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) {
        guard let producer = ingress[line: packet.line] else { return }
        room.receive(packet, in: buffer, from: producer, into: &outbox)
        drain(packet.arrival)
    }

    func handle(_ event: PeerEvent, on flow: PeerFlow) {
        guard case .senderReport(let ssrc, let ntp, let rtpTimestamp, let arrival) = event else { return }
        for (producer, _) in producers {
            room.receiveSenderReport(
                ssrc: ssrc, ntp: ntp, rtpTimestamp: rtpTimestamp, arrival: arrival, from: producer, into: &outbox)
        }
        drain(arrival)
    }

    /// The publisher has nothing to encode, each window begins with a key frame; nobody mutes or withdraws anything here.
    private func drain(_ now: Instant) {
        for case .senderReport(let report, let id) in outbox.events {
            flows[id.index].perform { peer, outbox, now in
                peer.sendSenderReports([report], now: now, into: outbox)
            }
        }
        var packet = ForwardedPacket()
        for index in outbox.copies.indices {
            let copy = outbox.copies[index]
            packet.load(copy, from: outbox)
            if !flows[copy.connection.index].forward(packet.header, packet.prefix, packet.payload) {
                room.noteRefusal(of: copy, now: now)
            }
        }
        outbox.removeAll()
    }
}
