import RTCCore
import RTCSim
import RTCWire
import SFUCore

/// The simulated server's place in the network: one address, a peer for each participant, a `ForwardingRoom` for each room.
final class FakeServer: SimulatedNode {
    let address = TransportAddress(ipv4: 0x0a80_0001, port: 7882)
    private let simulation: Simulation
    private let certificate: DTLSCertificate
    private let seed: UInt64
    /// By the number that rooms know them by.
    private var connections: [FakeConnection?] = []
    private var byClient: [TransportAddress: FakeConnection] = [:]
    /// In the order in which they were opened, which is the order of everything that is done for all of them.
    private var rooms: [(name: String, media: FakeRoomMedia)] = []
    private(set) var nextDeadline: Instant?
    /// Is told that somebody's connection can't go on.
    var onFailure: (FakeConnection) -> Void = { _ in }

    init(_ simulation: Simulation, seed: UInt64, certificate: DTLSCertificate) {
        self.simulation = simulation
        self.seed = seed
        self.certificate = certificate
        simulation.add(self)
        simulation.schedule(every: .seconds(1), from: simulation.now) { [weak self] in
            self?.sendReports()
            return self != nil
        }
    }

    // MARK: Connections

    /// - Parameter isOffering: the server offers what it sends on it; else the client offers.
    func connect(_ client: TransportAddress, room: String, isOffering: Bool = false) -> FakeConnection {
        let known = rooms.first { $0.name == room }?.media
        let media = known ?? FakeRoomMedia(self)
        if known == nil { rooms.append((room, media)) }
        let free = connections.firstIndex { $0 == nil } ?? connections.count
        let connection = FakeConnection(
            ConnectionID(free), client: client, server: address, media: media, certificate: certificate,
            isOffering: isOffering, seed: SeededGenerator.hash(seed, UInt64(client.low), 1), now: simulation.now)
        if free < connections.count { connections[free] = connection } else { connections.append(connection) }
        byClient[client] = connection
        return connection
    }

    func remove(_ connection: FakeConnection) {
        drive { outbox, now in
            connection.media.perform(now: now, into: outbox) { room, _ in
                for entry in connection.ingress.bound { room.removeProducer(entry.producer) }
                for copy in connection.copies { if let consumer = copy.consumer { room.removeConsumer(consumer) } }
            }
            connection.peer.close(now: now, into: outbox)
            outbox.events.removeAll()
        }
        byClient = byClient.filter { $0.value !== connection }
        connections[connection.id.index] = nil
        if !connections.contains(where: { $0?.media === connection.media }) {
            rooms.removeAll { $0.media === connection.media }
        }
    }

    /// Has something done now; what it sends leaves from the server's address. Not from within another node's turn.
    func drive<Result>(_ body: (Outbox, Instant) throws -> Result) rethrows -> Result {
        try simulation.perform(self) { outbox in
            defer { updateDeadline() }
            return try body(outbox, simulation.now)
        }
    }

    /// Calls a connection's peer, and deals with what it says to that.
    func act(_ id: ConnectionID, into outbox: Outbox, _ body: (inout Peer) -> Void) {
        guard let connection = connections[id.index] else { return }
        body(&connection.peer)
        takeEvents(of: connection, in: nil, into: outbox)
    }

    // MARK: The simulation's side

    func receive(
        _ buffer: UnsafeMutableRawBufferPointer, from source: TransportAddress, now: Instant, into outbox: Outbox
    ) {
        guard let connection = byClient[source] ?? follow(source, UnsafeRawBufferPointer(buffer)) else { return }
        connection.peer.receive(buffer, from: source, now: now, into: outbox)
        takeEvents(of: connection, in: UnsafeRawBufferPointer(buffer), into: outbox)
        updateDeadline()
    }

    /// Whose connectivity check comes from an address that nobody had yet. Whether it is theirs the peer finds out.
    private func follow(_ source: TransportAddress, _ datagram: UnsafeRawBufferPointer) -> FakeConnection? {
        let name = try? STUNMessage(parsing: datagram.bytes).usernameText(in: datagram.bytes)
        guard let ufrag = name?.split(separator: ":").first else { return nil }
        let found = connections.first { $0.map { $0.peer.localCredentials.ufrag == ufrag } ?? false }
        guard let connection = found ?? nil else { return nil }
        byClient[source] = connection
        return connection
    }

    func advance(to now: Instant, into outbox: Outbox) {
        for case let connection? in connections where connection.deadline <= now {
            connection.peer.advance(to: now, into: outbox)
            takeEvents(of: connection, in: nil, into: outbox)
        }
        for (_, media) in rooms where media.nextDeadline <= now {
            media.perform(now: now, into: outbox) { room, out in room.advance(to: now, into: &out) }
        }
        updateDeadline()
    }

    private func updateDeadline() {
        var soonest = Instant.distantFuture
        for case let connection? in connections { soonest = min(soonest, connection.deadline) }
        for (_, media) in rooms { soonest = min(soonest, media.nextDeadline) }
        nextDeadline = soonest == .distantFuture ? nil : soonest
    }

    // MARK: What the peers say

    func takeEvents(of connection: FakeConnection, in buffer: UnsafeRawBufferPointer?, into outbox: Outbox) {
        connection.deadline = connection.peer.nextDeadline?.instant ?? .distantFuture
        guard !outbox.events.isEmpty else { return }
        // Dealing with them makes other peers speak: the outbox must be free for those.
        var events: [PeerEvent] = []
        swap(&events, &outbox.events)
        for event in events { take(event, of: connection, in: buffer, into: outbox) }
    }

    private func take(
        _ event: PeerEvent, of connection: FakeConnection, in buffer: UnsafeRawBufferPointer?, into outbox: Outbox
    ) {
        let (media, now) = (connection.media, simulation.now)
        switch event {
        case .rtp(let packet):
            guard let buffer, let producer = connection.ingress[line: packet.line] else { return }
            media.receive(packet, in: buffer, from: producer, into: outbox)
        case .stateChanged(.connected):
            for copy in connection.copies { if let consumer = copy.consumer { start(consumer, media, outbox) } }
        case .keyFrameRequest(let ssrc):
            guard let consumer = connection.consumer(ssrc: ssrc) else { return }
            media.perform(now: now, into: outbox) { room, out in
                room.requestKeyFrame(consumer, now: now, into: &out)
            }
        case .nack(let ssrc, let missing):
            guard let consumer = connection.consumer(ssrc: ssrc) else { return }
            let spacing = connection.peer.repetitionSpacing
            media.perform(now: now, into: outbox) { room, out in
                room.resend(missing, consumer, now: now, spacing: spacing, into: &out)
            }
        case .receiverReport(let ssrc, let loss, _, _, _):
            guard let consumer = connection.consumer(ssrc: ssrc) else { return }
            media.perform(now: now, into: outbox) { room, _ in
                room.note(loss: loss, mostCopies: CopyDemand.most, consumer, now: now)
            }
        case .senderReport(let ssrc, let ntp, let timestamp, let arrival):
            media.perform(now: now, into: outbox) { room, out in
                for entry in connection.ingress.bound {
                    room.receiveSenderReport(
                        ssrc: ssrc, ntp: ntp, rtpTimestamp: timestamp, arrival: arrival, from: entry.producer,
                        into: &out)
                }
            }
        case .failed: simulation.schedule(at: now) { [weak self] in self?.onFailure(connection) }
        default: break
        }
    }

    private func start(_ consumer: ConsumerID, _ media: FakeRoomMedia, _ outbox: Outbox) {
        let now = simulation.now
        media.perform(now: now, into: outbox) { room, out in room.start(consumer, now: now, into: &out) }
    }

    // MARK: Descriptions

    /// Answers a participant's offer: from now on what it names is forwarded, and what waited is sent.
    ///
    /// - Parameter publish: is told of each line on which the participant has begun to send, with its producer.
    func answer(
        _ connection: FakeConnection, _ offer: String,
        publish: (_ trackID: String, _ producer: ProducerID, _ format: TrackFormat) -> Void
    ) throws -> String {
        try drive { outbox, now in
            try connection.takeOffer(offer, now: now, into: outbox)
            let answer = try connection.createAnswer(now: now, into: outbox)
            takeEvents(of: connection, in: nil, into: outbox)
            connection.media.perform(now: now, into: outbox) { room, _ in
                for producer in connection.takeEnded() { room.removeProducer(producer) }
                for (line, trackID) in connection.newLines() {
                    guard let format = TrackFormat(of: line), let kind = line.streamKind else { continue }
                    let configuration = ProducerConfiguration(
                        codec: format.mediaCodec(kind), payloads: format.payloads,
                        clockRate: UInt32(clamping: format.codec.clockRate))
                    let producer = room.addProducer(configuration, from: connection.id)
                    connection.bind(line, to: producer)
                    publish(trackID, producer, format)
                }
            }
            open(connection, now, outbox)
            return answer
        }
    }

    func open(_ connection: FakeConnection, _ now: Instant, _ outbox: Outbox) {
        for (index, stream, configuration) in connection.openCopies() {
            let producer = connection.copies[index].producer
            let added = connection.media.perform(now: now, into: outbox) { room, _ in
                room.addConsumer(configuration, of: producer, to: connection.id)
            }
            // Of a track that has ended meanwhile nothing is sent.
            guard let consumer = added else { continue }
            connection.start(index, consumer, stream)
            if connection.peer.isConnected { start(consumer, connection.media, outbox) }
        }
    }

    /// Ends a copy at once.
    func drop(_ trackID: String, from connection: FakeConnection) {
        guard let copy = connection.removeCopy(of: trackID), let consumer = copy.consumer else { return }
        drive { outbox, now in
            connection.media.perform(now: now, into: outbox) { room, _ in room.removeConsumer(consumer) }
            connection.peer.removeSendStream(
                ssrc: copy.description.ssrc, sendBye: false, now: now, into: outbox)
        }
    }

    // MARK: Time

    private func sendReports() {
        drive { outbox, now in
            for case let connection? in connections where connection.peer.isConnected {
                let reports = connection.copies.compactMap { copy in
                    copy.consumer.flatMap { connection.media.senderReport($0, now: now) }
                }
                act(connection.id, into: outbox) { peer in peer.sendSenderReports(reports, now: now, into: outbox) }
            }
        }
    }
}
