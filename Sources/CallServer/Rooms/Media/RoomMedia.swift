import NIOCore
import RTCCore
import RTCTransport
import RTCWire
import SFUCore

/// The media of one room on its event loop: drives a `ForwardingRoom` and performs what that says on the connections.
final class RoomMedia {
    private let eventLoop: any EventLoop
    private var room = ForwardingRoom()
    private var outbox = ForwardingOutbox()
    /// Takes turns with `outbox`, so that what follows from performing one finds the other free.
    private var spare: ForwardingOutbox?
    /// By the number that the room knows them by.
    private var connections: [MediaConnection?] = []
    private var timer: Scheduled<Void>?
    private var timerDeadline = Instant.distantFuture
    /// A client has said that its way bears less than it is sent.
    var narrowed: ((MediaConnection) -> Void)?

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    // MARK: Connections

    func add(_ connection: MediaConnection) -> ConnectionID {
        if let free = connections.firstIndex(where: { $0 == nil }) {
            connections[free] = connection
            return ConnectionID(free)
        }
        connections.append(connection)
        return ConnectionID(connections.count - 1)
    }

    /// Lets go of a connection whose producers and consumers have been removed.
    func remove(_ id: ConnectionID) { connections[id.index] = nil }

    // MARK: Driving the room

    /// Hands a packet on to all who get it. `buffer` is the datagram that it points into.
    func receive(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, from producer: ProducerID) {
        room.receive(packet, in: buffer, from: producer, into: &outbox)
        drain(now: packet.arrival)
    }

    /// Counts a packet of no known track.
    func noteUnknownPacket() { room.noteUnknownPacket() }

    /// Has the room do something, and performs what follows.
    @discardableResult
    func perform<Result>(
        now: Instant = MonotonicClock.now(), _ body: (inout ForwardingRoom, inout ForwardingOutbox, Instant) -> Result
    ) -> Result {
        let result = body(&room, &outbox, now)
        drain(now: now)
        return result
    }

    private func drain(now: Instant) {
        if room.nextDeadline < timerDeadline { schedule(room.nextDeadline, now: now) }
        guard !outbox.isEmpty else { return }
        var full = spare.take() ?? ForwardingOutbox()
        swap(&full, &outbox)
        for event in full.events { perform(event) }
        var packet = ForwardedPacket()
        for index in full.copies.indices {
            let copy = full.copies[index]
            packet.load(copy, from: full)
            let isSent = connections[copy.connection.index]?.flow.forward(packet.header, packet.prefix, packet.payload)
            if isSent != true { room.noteRefusal(of: copy, now: now) }
        }
        for end in full.ends { connections[end.connection.index]?.ended(end.consumer) }
        full.removeAll()
        spare = consume full
    }

    private func perform(_ event: ForwardingEvent) {
        switch event {
        case .keyFrameWanted(let ssrc, let isSmallest, let id):
            connections[id.index]?.requestKeyFrame(ssrc: ssrc, isSmallest: isSmallest)
        case .keyFrameReceived(let ssrc, let id):
            connections[id.index]?.flow.perform { peer, _, _ in peer.keyFrameReceived(ssrc: ssrc) }
        case .senderReport(let report, let id): connections[id.index]?.send([report])
        }
    }

    // MARK: Time

    private func schedule(_ deadline: Instant, now: Instant) {
        timer?.cancel()
        timerDeadline = deadline
        let wait = max(0, (deadline - now).nanoseconds)
        timer = eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(wait)) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        timerDeadline = .distantFuture
        perform { room, outbox, now in room.advance(to: now, into: &outbox) }
    }

    /// Stops the clock.
    func close() { timer?.cancel() }

    // MARK: What is known

    var statistics: ForwardingStatistics { room.statistics }

    /// The streams of a track, low to high.
    func layers(of producer: ProducerID) -> [LayerReport] { room.layers(of: producer) }

    /// Those of them that are still sent.
    func liveLayers(of producer: ProducerID, now: Instant) -> [LayerReport] { room.liveLayers(of: producer, now: now) }

    /// How loud a track is, linear, 0...1.
    func loudness(of producer: ProducerID, now: Instant) -> Double { room.loudness(of: producer, now: now) }

    /// Payload bytes that a consumer has been sent, repetitions left out.
    func sent(_ consumer: ConsumerID) -> (packets: Int, bytes: Int) { room.sent(consumer) }

    /// Copies of earlier frames that each packet of sound carries.
    func copies(_ consumer: ConsumerID) -> Int { room.copies(consumer) }

    /// When the first packet came in that a consumer has sent; nil before.
    func began(_ consumer: ConsumerID) -> Instant? { room.began(consumer) }

    /// The numbers that a consumer's stream has given out; nil before the first.
    func row(_ consumer: ConsumerID) -> SequenceRow? { room.row(consumer) }

    /// Of the numbers that a consumer misses, those of packets that were not lost on their way here.
    func sequencesSent(_ sequences: [UInt16], _ consumer: ConsumerID) -> [UInt16] {
        room.sequencesSent(sequences, consumer)
    }

    /// The layer that a consumer is sent, as `OutgoingTrack.set` counts; nil while nothing is.
    func currentLayer(of consumer: ConsumerID) -> Int? { room.currentLayers(consumer)?.spatial }

    /// What a sender report on a consumer's stream says now.
    func senderReport(_ consumer: ConsumerID, now: Instant) -> ForwardedReport? {
        room.senderReport(consumer, now: now)
    }
}
