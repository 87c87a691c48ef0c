import RTCCore
import RTCWire
import SFUCore

/// The media of one simulated room: the value that forwards on sockets elsewhere.
final class FakeRoomMedia {
    private var room = ForwardingRoom()
    private var outbox = ForwardingOutbox()
    /// Takes turns with `outbox`, so that what follows from performing one finds the other free.
    private var spare: ForwardingOutbox?
    private unowned let server: FakeServer

    init(_ server: FakeServer) { self.server = server }

    var nextDeadline: Instant { room.nextDeadline }

    /// Hands a packet on to all who get it. `buffer` is the datagram that it points into.
    func receive(
        _ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, from producer: ProducerID, into network: Outbox
    ) {
        room.receive(packet, in: buffer, from: producer, into: &outbox)
        drain(now: packet.arrival, into: network)
    }

    /// Has the room do something, and performs what follows.
    @discardableResult
    func perform<Result>(
        now: Instant, into network: Outbox, _ body: (inout ForwardingRoom, inout ForwardingOutbox) -> Result
    ) -> Result {
        let result = body(&room, &outbox)
        drain(now: now, into: network)
        return result
    }

    private func drain(now: Instant, into network: Outbox) {
        guard !outbox.isEmpty else { return }
        var full = spare.take() ?? ForwardingOutbox()
        swap(&full, &outbox)
        for event in full.events { perform(event, now: now, into: network) }
        var packet = ForwardedPacket()
        for index in full.copies.indices {
            let copy = full.copies[index]
            packet.load(copy, from: full)
            var isSent = false
            server.act(copy.connection, into: network) { peer in
                isSent = peer.forward(
                    packet.header, prefix: packet.prefix, payload: packet.payload, now: now, into: network)
            }
            if !isSent { room.noteRefusal(of: copy, now: now) }
        }
        full.removeAll()
        spare = consume full
    }

    private func perform(_ event: ForwardingEvent, now: Instant, into network: Outbox) {
        switch event {
        case .keyFrameWanted(let ssrc, let isSmallest, let id):
            let interval: Interval = isSmallest ? .milliseconds(500) : .seconds(1)
            server.act(id, into: network) { peer in
                peer.requestKeyFrame(ssrc: ssrc, interval: interval, now: now, into: network)
            }
        case .keyFrameReceived(let ssrc, let id):
            server.act(id, into: network) { peer in peer.keyFrameReceived(ssrc: ssrc) }
        case .senderReport(let report, let id):
            server.act(id, into: network) { peer in peer.sendSenderReports([report], now: now, into: network) }
        }
    }

    /// What a sender report on a copy says now.
    func senderReport(_ consumer: ConsumerID, now: Instant) -> ForwardedReport? {
        room.senderReport(consumer, now: now)
    }

    /// How loud a track is, linear, 0...1.
    func loudness(of producer: ProducerID, now: Instant) -> Double { room.loudness(of: producer, now: now) }
}
