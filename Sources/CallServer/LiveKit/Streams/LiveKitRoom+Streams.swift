import LiveKitProtocol
import NIOCore
import RTCCore
import RTCWire
import SFUCore

/// What a room measures to share bandwidth out.
struct RoomStreams {
    /// How often bandwidth is shared out anew.
    static let interval = Interval.milliseconds(250)

    /// Of every published layer, by track and SSRC.
    var layerRates: [String: [UInt32: LayerRates]] = [:]
    var ticks = 0
    /// When the connections' sender reports leave next.
    var reportsDue: Instant = .zero
}

/// What one subscriber's connection carries.
struct SubscriberStreams {
    var capacity = ChannelCapacity()
    var sent = RateMeter()
    /// Sent to streams that have ended since.
    var bytesBefore: [UInt32: Int] = [:]
    var total = 0
    /// The tracks that the client was told are paused for want of bandwidth.
    var starved: Set<String> = []
    var nextCost: Int?

    /// Adds up what is sent, over streams that come and go.
    mutating func count(_ sends: [OutgoingTrack], now: Instant) {
        var bytes: [UInt32: Int] = [:]
        for send in sends { bytes[send.ssrc] = send.bytesSent }
        for (ssrc, count) in bytes { total += max(0, count - (bytesBefore[ssrc] ?? 0)) }
        bytesBefore = bytes
        sent.update(total, now: now)
    }
}

extension LiveKitRoom {
    /// Some times a second: measures what is published and shares out what each subscriber's connection bears.
    func updateStreams(now: Instant) {
        guard !participants.isEmpty else { return }
        streams.layerRates = streams.layerRates.filter { tracks[$0.key] != nil }
        for track in tracks.values where track.kind == .video { measure(track, now) }
        for participant in participants.values { participant.shareBandwidth(streams, now) }
        streams.ticks += 1
        keepRhythms(now)
        if streams.ticks % LiveKitRoom.ticksPerQuality == 0 { updateQuality(now) }
    }

    private static let ticksPerQuality = Int(TrackQuality.window.nanoseconds / RoomStreams.interval.nanoseconds)

    private func measure(_ track: LiveKitTrack, _ now: Instant) {
        let known = streams.layerRates[track.sid] ?? [:]
        var rates: [UInt32: LayerRates] = [:]
        for layer in track.producer.map(media.layers) ?? [] {
            rates[layer.ssrc] = known[layer.ssrc] ?? LayerRates()
            rates[layer.ssrc]?.update(layer.layerBytes, now: now)
        }
        streams.layerRates[track.sid] = rates
    }
}

extension LiveKitParticipant {
    /// What a test client's connection is to be taken to carry, in bit/s; 0 lifts the limit.
    func limitBandwidth(_ bitsPerSecond: Int64) {
        streams.capacity.imposed = bitsPerSecond > 0 ? Int(clamping: bitsPerSecond) : nil
    }

    /// Chooses the layers of the videos that this client gets, within what its connection bears.
    fileprivate func shareBandwidth(_ room: RoomStreams, _ now: Instant) {
        let sends = subscriber.sends.filter { $0.kind == .video && !$0.isRefused && $0.consumer != nil }
        streams.count(sends, now: now)
        let sent = Int(streams.sent.bitrate)
        if let estimate = subscriber.feedback.takeEstimate() {
            streams.capacity.note(estimate: estimate, sent: sent, now: now)
        }
        streams.capacity.note(loss: subscriber.feedback.takeLoss(), sent: sent, now: now)
        streams.capacity.advance(to: now, nextCost: streams.nextCost)
        let demands = sends.compactMap { demand($0, room.layerRates[$0.trackID] ?? [:], now) }
        let allocation = BitrateAllocation(
            demands, capacity: streams.capacity.available, mayPause: ticket.allowsPause)
        streams.nextCost = allocation.nextCost
        for send in sends { send.allocate(allocation.shares[send.trackID], now: now) }
        tellStreamStates(sends)
    }

    private func demand(_ send: OutgoingTrack, _ rates: [UInt32: LayerRates], _ now: Instant) -> VideoDemand? {
        guard let wanted = send.wantedLayer else { return nil }
        let live = send.liveLayers(now)
        let layers = live.flatMap { layer in
            rates[layer.ssrc]?.choices(rank: layer.rank, isSmallest: layer.ssrc == live.first?.ssrc) ?? []
        }
        guard !layers.isEmpty else { return nil }
        return VideoDemand(track: send.trackID, priority: send.priority, wanted: wanted, layers: layers)
    }

    /// Tells the client which of its tracks have been paused for want of bandwidth, or go on.
    private func tellStreamStates(_ sends: [OutgoingTrack]) {
        guard ticket.allowsPause else { return }
        let starved = Set(sends.filter(\.isStarved).map(\.trackID))
        let present = Set(sends.map(\.trackID))
        let changed = starved.symmetricDifference(streams.starved).intersection(present)
        streams.starved = starved
        guard !changed.isEmpty else { return }
        send(
            .with {
                $0.streamStateUpdate.streamStates = changed.sorted().map { sid in
                    .with {
                        $0.participantSid = room.tracks[sid]?.publisher ?? ""
                        $0.trackSid = sid
                        $0.state = starved.contains(sid) ? .paused : .active
                    }
                }
            })
    }
}
