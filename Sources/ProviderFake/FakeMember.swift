import CallBridge
import MediaCore
import RTCCore
import RTCWire

/// One participant of a simulated call: their link, what they publish, what they receive.
final class FakeMember {
    /// Something that is received, and whose it is.
    struct Incoming {
        var receiver: any FakeReceiver
        var owner: String
        var ssrc: UInt32
        var rtxSSRC: UInt32
    }

    let id: String
    let identity: String
    let room: String
    let subscribesAutomatically: Bool
    let link: FakeLink
    let queue = FakeEventQueue()
    /// By the provider's id, in the order of publication.
    var tracks: [FakeTrack] = []
    /// By line of the link.
    var incoming: [Int: Incoming] = [:]
    var nextLine = 0
    /// The network is gone: neither media nor signalling comes through.
    var isCut = false
    var isGone = false
    /// Signalling that waits for the network.
    var held: [ProviderEvent] = []
    var isReconnecting = false
    var srtpProfile: String?
    /// Levels heard since the last report.
    var levels: [ParticipantLevel] = []
    var turns = 0
    /// The loudest that the server has heard of us since it last looked, -dBov.
    var loudest: UInt8 = 127

    init(id: String, identity: String, room: String, subscribesAutomatically: Bool, link: FakeLink) {
        self.id = id
        self.identity = identity
        self.room = room
        self.subscribesAutomatically = subscribesAutomatically
        self.link = link
    }

    func participant(isLocal: Bool = false) -> Participant {
        Participant(id: id, identity: identity, isLocal: isLocal, tracks: tracks.map(\.info))
    }

    func takeLine() -> Int {
        defer { nextLine += 1 }
        return nextLine
    }

    /// Tells both ends of the link what they receive.
    func updateReceiveMaps() {
        let up = tracks.map {
            FakeTrack.receiveLine($0.kind, ssrc: $0.ssrc, rtxSSRC: $0.rtxSSRC, line: $0.line)
        }
        link.drive(link.server) { peer, _, _ in peer.setReceiveMap(ReceiveMap(lines: up)) }
        let down = incoming.sorted { $0.key < $1.key }.map { line, incoming in
            FakeTrack.receiveLine(
                incoming.receiver.track.kind == .audio ? .audio : .video, ssrc: incoming.ssrc,
                rtxSSRC: incoming.rtxSSRC, line: line)
        }
        link.drive(link.client) { peer, _, _ in peer.setReceiveMap(ReceiveMap(lines: down)) }
    }

    /// Reads, encodes and sends one frame of a track.
    func send(_ track: FakeTrack, now: Instant) {
        var packets: [FakePacket] = []
        let limit = link.client.peer.maximumPayload(ssrc: track.ssrc)
        track.sender.turn(now: now, maximumPayload: limit) { packets.append($0) }
        guard !packets.isEmpty else { return }
        link.drive(link.client) { peer, now, outbox in
            for packet in packets {
                var extensions = RTPExtensions()
                extensions.audioLevel = packet.level
                packet.payload.withUnsafeBytes { payload in
                    _ = peer.send(
                        ssrc: track.ssrc, marker: packet.marker, timestamp: packet.timestamp, extensions: extensions,
                        payload: payload, now: now, into: outbox)
                }
            }
        }
    }

    /// Plays what was received; comes every 20 ms.
    func play(now: Instant) {
        turns += 1
        var wanted: [UInt32] = []
        for (_, incoming) in incoming where incoming.receiver.turn(now: now) { wanted.append(incoming.ssrc) }
        if !wanted.isEmpty {
            link.drive(link.client) { peer, now, outbox in
                for ssrc in wanted { peer.requestKeyFrame(ssrc: ssrc, now: now, into: outbox) }
            }
        }
        guard turns % 2 == 0, !levels.isEmpty else { return }
        queue.push(.audioLevels(levels))
        levels.removeAll(keepingCapacity: true)
    }

    // MARK: Statistics

    func statistics() -> SessionStatistics {
        var result = SessionStatistics()
        let peer = link.client.peer.statistics
        result.srtpProfile = srtpProfile
        result.bytesSent = peer.bytesSent
        result.bytesReceived = peer.bytesReceived
        result.datagramsSent = peer.datagramsSent
        result.datagramsReceived = peer.datagramsReceived
        result.roundTripMilliseconds = link.client.peer.roundTripTime?.milliseconds
        result.senders = tracks.map(sent)
        result.receivers = incoming.sorted { $0.key < $1.key }.map { received($0.value) }
        return result
    }

    private func sent(_ track: FakeTrack) -> SenderStatistics {
        var result = SenderStatistics()
        result.trackID = track.sender.track.id
        result.kind = track.info.kind
        track.sender.count(into: &result)
        guard let counted = link.client.peer.sendStatistics(ssrc: track.ssrc) else { return result }
        result.packetsSent = counted.packets
        result.bytesSent = counted.bytes
        result.packetsRetransmitted = counted.retransmitted
        return result
    }

    private func received(_ incoming: Incoming) -> ReceiverStatistics {
        var result = ReceiverStatistics()
        result.trackID = incoming.receiver.track.trackID
        result.streamID = incoming.receiver.track.streamID
        result.kind = incoming.receiver.track.kind
        incoming.receiver.count(into: &result)
        guard let counted = link.client.peer.receiveStatistics(ssrc: incoming.ssrc) else { return result }
        result.packetsReceived = counted.packets
        result.bytesReceived = counted.bytes
        result.packetsLost = counted.lost
        result.packetsRecovered = counted.recovered
        result.nacksSent = counted.nacksSent
        result.keyFrameRequestsSent = counted.plisSent + counted.firsSent
        result.jitterMilliseconds = counted.jitter * 1000
        return result
    }
}
