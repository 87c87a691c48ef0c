import RTCCore
import RTCWire
import SFUCore

/// What a connection carries of what its client is to get.
struct ConnectionStreams {
    var capacity = ChannelCapacity()
    var probe = SubscriberProbe()
    /// As the peer was told; nil for packets that leave at once.
    var pace: SubscriberPace?
    var joining = JoinPacing()
    /// What may be sent again.
    var repetitions = RepetitionAllowance()
    /// Payloads of pictures.
    private(set) var sent = RateMeter()
    /// Packets of pictures.
    private(set) var packets = 0
    /// Far more was sent, the last time, than the way bears.
    var wasOverrun = false
    /// Sound, with headers.
    private(set) var beside = RateMeter()
    /// The same without copies of earlier frames.
    private var plain = RateMeter()
    /// Sent to streams that have ended since.
    private var bytesBefore: [UInt32: Int] = [:]
    private var packetsBefore: [UInt32: Int] = [:]
    private var total = (pictures: 0, sound: 0, plain: 0)
    /// The tracks that the client was told are paused for want of bandwidth.
    private var starved: Set<String> = []
    /// Of tracks that end behind a warning.
    private var fallbacks: [String: VideoFallback] = [:]
    /// Of the layers that are allocated, in bit/s, and of more.
    var cost = 0
    var nextCost: Int?

    /// Copies of each frame of sound that the way has room for: all of it is to be a third of what that bears at most. One where
    /// nobody tells what that is, as libwebrtc always sends with RED.
    var mostCopies: Int {
        guard let available = capacity.available else { return capacity.isMeasured ? CopyDemand.most : 1 }
        return (1...CopyDemand.most).last { count in
            Double(CopyDemand.room * (1 + count)) * plain.bitrate <= Double(available)
        } ?? 0
    }

    /// Adds up what is sent, over streams that come and go.
    mutating func count(_ sends: [OutgoingTrack], now: Instant) {
        var bytes: [UInt32: Int] = [:]
        var packets: [UInt32: Int] = [:]
        for send in sends {
            if send.kind == .video {
                packets[send.ssrc] = send.packetsSent
                self.packets += max(0, send.packetsSent - (packetsBefore[send.ssrc] ?? 0))
            }
            let count = send.kind == .video ? send.bytesSent : send.wireBytesSent
            let new = max(0, count - (bytesBefore[send.ssrc] ?? 0))
            if send.kind == .video {
                total.pictures += new
            } else {
                total.sound += new
                total.plain += new / (1 + send.copies)
            }
            bytes[send.ssrc] = count
        }
        bytesBefore = bytes
        packetsBefore = packets
        sent.update(total.pictures, now: now)
        beside.update(total.sound, now: now)
        plain.update(total.plain, now: now)
    }

    /// Which tracks have been paused for want of bandwidth since the last time, or go on.
    mutating func noteStarved(_ sends: [OutgoingTrack]) -> [(track: String, change: TrackPause.Change)] {
        let starved = Set(sends.filter(\.isStarved).map(\.trackID))
        let present = Set(sends.map(\.trackID))
        let changed = starved.symmetricDifference(self.starved).intersection(present)
        self.starved = starved
        return changed.sorted().map { ($0, .paused(starved.contains($0))) }
    }

    /// Takes in which tracks have no room; gives what the client is to be told.
    mutating func fallBack(
        _ sends: [OutgoingTrack], _ demands: [VideoDemand], _ shares: [String: BitrateAllocation.Share], now: Instant
    ) -> [(track: String, change: TrackPause.Change)] {
        let present = Set(sends.map(\.trackID))
        fallbacks = fallbacks.filter { present.contains($0.key) }
        return demands.flatMap { demand in
            let isStarved = shares[demand.track] == .paused
            let changes = fallbacks[demand.track, default: VideoFallback()].update(isStarved: isStarved, now: now)
            return changes.map { (demand.track, $0) }
        }
    }

    /// The video is off because of a link that can't carry it.
    func isPaused(_ track: String) -> Bool { fallbacks[track]?.isPaused ?? false }
}

extension MediaConnection {
    /// Chooses the layers of the videos that this client gets, within what its connection bears. Gives the tracks that
    /// have been paused for want of bandwidth, or go on; none where it may not pause.
    ///
    /// - Parameters:
    ///   - rates: of every published layer, by track and SSRC.
    ///   - isDue: the time between two has gone by, over which all is measured.
    func shareBandwidth(
        _ rates: [String: [UInt32: LayerRates]], _ policy: PausePolicy, isDue: Bool = true, now: Instant
    ) -> [(track: String, change: TrackPause.Change)] {
        let all = self.sends.filter { !$0.isRefused && $0.consumer != nil }
        let sends = all.filter { $0.kind == .video }
        if isDue { measure(all, now) }
        let demands = sends.compactMap { demand($0, rates[$0.trackID] ?? [:], now) }
        let capacity = streams.capacity.available
        let allocation = BitrateAllocation(demands, capacity: capacity, mayPause: policy != .never)
        (streams.cost, streams.nextCost) = (allocation.cost, allocation.nextCost)
        let sent = max(Int(streams.sent.bitrate), sentSinceJoin(now) ?? 0)
        let isOverrun = streams.capacity.isOverrun(sent: sent)
        streams.repetitions.set(
            limit: streams.capacity.limit, sent: sent, cost: allocation.cost,
            queue: streams.capacity.queue(now: now), now: now)
        pace(cost: allocation.cost, now)
        dropBacklog(isOverrun, demands)
        guard policy == .afterWarning else {
            for send in sends { send.allocate(allocation.shares[send.trackID], isOverrun, now: now) }
            return policy == .atOnce ? streams.noteStarved(sends) : []
        }
        let changes = streams.fallBack(sends, demands, allocation.shares, now: now)
        // Until a video is paused, its smallest picture comes.
        let rest = demands.filter { !streams.isPaused($0.track) }
        let shares = BitrateAllocation(rest, capacity: capacity, mayPause: false).shares
        for send in sends {
            send.allocate(streams.isPaused(send.trackID) ? .paused : shares[send.trackID], isOverrun, now: now)
        }
        return changes
    }

    private func measure(_ sends: [OutgoingTrack], _ now: Instant) {
        streams.count(sends, now: now)
        let sent = Int(streams.sent.bitrate)
        streams.capacity.note(loss: feedback.loss.take(), sent: sent, now: now)
        streams.capacity.note(missing: feedback.missing.take(sent: streams.packets), sent: sent, now: now)
        streams.capacity.note(backlog: flow.peer.pacingBacklog, now: now)
        streams.capacity.advance(to: now, nextCost: streams.nextCost, sent: sent, canProbe: canProbe)
        probe()
    }

    /// Takes in what the client thinks that its way bears.
    func note(estimate: Int) {
        streams.joining.note(estimate: estimate)
        guard !judgeJoin() else { return }
        let before = streams.capacity.limit ?? .max
        streams.capacity.note(estimate: estimate, sent: Int(streams.sent.bitrate), now: flow.now)
        // What it bears less is not to wait for the next round.
        if streams.capacity.limit ?? .max < before, hasSmallerLayers(flow.now) { media.narrowed?(self) }
    }

    /// Has sound carry copies of earlier frames where the client misses much of it.
    ///
    /// - Parameter share: of the stream's packets that its report says were lost, 0...1.
    func copySound(of ssrc: UInt32, lost share: Double) {
        guard settings.plane.copiesSound, let send = sends.first(where: { $0.ssrc == ssrc }), send.kind == .audio,
            let consumer = send.consumer, let counted = flow.peer.sendStatistics(ssrc: ssrc)
        else { return }
        let loss = max(share, feedback.takeRepeated(counted, of: ssrc))
        let most = streams.mostCopies
        media.perform { room, _, now in
            room.note(loss: loss, mostCopies: most, consumer, now: now)
        }
    }

    /// Takes in what the client asks for again.
    func note(missing sequences: [UInt16], of ssrc: UInt32) {
        streams.joining.note(missing: feedback.missing.note(sequences, of: ssrc))
        judgeJoin()
    }

    /// Where a newcomer is sent far too much, something smaller follows at once. Gives whether it is.
    @discardableResult
    private func judgeJoin() -> Bool {
        let now = flow.now
        guard let estimate = streams.joining.estimate, let sent = sentSinceJoin(now), hasSmallerLayers(now),
            streams.capacity.note(
                early: estimate, sent: sent, missing: streams.joining.missing,
                hasFallen: streams.joining.hasFallen(below: streams.cost), now: now)
        else { return false }
        logger.debug("a newcomer is sent too much", metadata: ["estimate": "\(estimate)", "sent": "\(sent)"])
        media.narrowed?(self)
        return true
    }

    /// Payloads of pictures, in bytes.
    var picturesSent: Int { sends.reduce(0) { $0 + ($1.kind == .video ? $1.bytesSent : 0) } }

    /// What has been sent of pictures that have just begun, in bit/s; nil where none have.
    private func sentSinceJoin(_ now: Instant) -> Int? {
        streams.joining.note(first: firstPicture)
        return streams.joining.average(picturesSent, now: now)
    }

    /// When the first of all pictures came in that have been sent; nil before.
    private var firstPicture: Instant? {
        sends.lazy.filter { $0.kind == .video }.compactMap { $0.consumer.flatMap(self.media.began) }.min()
    }

    private func hasSmallerLayers(_ now: Instant) -> Bool { sends.contains { $0.liveLayers(now).count > 1 } }

    /// What waits when a way turns out to bear far less is of a layer that ends, where there is a smaller one: sound would wait
    /// behind it.
    private func dropBacklog(_ isOverrun: Bool, _ demands: [VideoDemand]) {
        defer { streams.wasOverrun = isOverrun }
        guard isOverrun, !streams.wasOverrun, demands.contains(where: { $0.layers.first?.rank != $0.layers.last?.rank })
        else { return }
        flow.perform { peer, _, now in _ = peer.dropBacklog(longerThan: MediaConnection.longestBacklog, now: now) }
    }

    private static let longestBacklog = Interval.milliseconds(50)

    private func demand(_ send: OutgoingTrack, _ rates: [UInt32: LayerRates], _ now: Instant) -> VideoDemand? {
        guard let wanted = send.wantedLayer else { return nil }
        let live = send.liveLayers(now)
        let layers = live.flatMap { layer in
            rates[layer.ssrc]?.choices(rank: layer.rank, isSmallest: layer.ssrc == live.first?.ssrc) ?? []
        }
        guard !layers.isEmpty else { return nil }
        return VideoDemand(
            track: send.trackID, priority: send.priority, wanted: wanted, layers: layers,
            current: streams.capacity.keepsLayers(now: now) ? send.allocatedLayers : nil)
    }
}
