import RTCWire

/// An adaptive jitter buffer for audio: packets in at any time and in any order, exactly as much PCM as wanted out.
///
/// It holds just as much sound as the jitter of the network asks for: the delay aimed at is a quantile of the packets'
/// delays (`PlayoutDelayEstimator`), approached by cutting out or repeating single pitch periods (`TimeStretcher`).
/// A lost packet is rebuilt from its successor's redundancy where there is any, and concealed by the decoder otherwise.
/// Where a sender stops on purpose (DTX, mute), time stands still without anything counting as lost: sequence numbers
/// go on without a gap while time stamps jump.
///
/// Sans-IO and without locks: time comes in with each call, one owner calls at a time. After the first seconds nothing
/// is allocated.
package final class AudioJitterBuffer<Decoder: PlayoutDecoder> {
    /// The longest pull, samples per channel.
    package static var maximumPull: Int { 5_760 }
    /// A packet further behind isn't late: the sender's sequence began anew.
    private static var oldest: Int64 { 3_000 }

    package let configuration: AudioPlayoutConfiguration
    package internal(set) var statistics = AudioPlayoutStatistics()

    let decoder: Decoder
    var store: AudioPacketStore
    var delays: PlayoutDelayEstimator
    var queue: PCMQueue
    var tempo = PlayoutTempo()
    var source = PlayoutSource()
    var phase = Phase.empty
    var position = PlayoutPosition()
    /// Samples per channel of the latest packet.
    var packetFrames = 960
    /// How the present stretch without packets is going.
    var gap = PlayoutGap()
    /// What is played in it.
    var continuation: SoundContinuation
    /// Until when targets leave room for a successor's redundancy.
    var redundancyUntil = Instant(nanoseconds: .min)
    /// Until when what is lost counts as being copied.
    private var copiesUntil = Instant(nanoseconds: .min)

    enum Phase {
        /// No packet yet.
        case empty
        /// Packets are here, and wait for the first one's time. `resumed`: sound has been played before.
        case waiting(resumed: Bool)
        case playing
    }

    package init(decoder: Decoder, configuration: AudioPlayoutConfiguration = .init()) {
        self.decoder = decoder
        self.configuration = configuration
        store = AudioPacketStore(capacity: configuration.capacity)
        delays = PlayoutDelayEstimator(configuration)
        queue = PCMQueue(channels: decoder.channels, limit: 4 * Self.maximumPull)
        continuation = SoundContinuation(channels: decoder.channels)
    }

    /// Channels of the PCM that `pull` delivers.
    package var channels: Int { decoder.channels }

    /// The delay aimed at.
    package var targetDelay: Interval { delays.target(allowance: .zero) }

    /// What lip sync adds to the delay that jitter asks for.
    package var syncDelay: Interval {
        get { delays.syncDelay }
        set { delays.syncDelay = newValue }
    }

    /// The RTP timestamp of the sample that the next pull begins with; nil where nothing is played.
    package var nextTimestamp: UInt32? {
        guard case .playing = phase else { return nil }
        return UInt32(truncatingIfNeeded: position.timestamp &- Int64(queue.frameCount))
    }

    /// How much later than at present sound would be played, were it where its jitter alone wants it; negative: earlier.
    /// `now` is when the next pull is due; nil where nothing is played.
    package func distance(at now: Instant) -> Interval? {
        guard case .playing = phase else { return nil }
        let next = position.timestamp &- Int64(queue.frameCount)
        return delays.ownTarget(allowance: allowance(now)) - delays.delay(of: next, at: now)
    }

    /// Takes in a packet.
    ///
    /// - Parameters:
    ///   - payload: without padding; copied. An empty one only fills its place in the sequence.
    ///   - sequence: without wrap-around.
    ///   - timestamp: as on the wire, 48 kHz.
    package func insert(
        _ payload: UnsafeRawBufferPointer, timestamp: UInt32, sequence: Int64, ssrc: UInt32, arrival: Instant
    ) {
        if payload.isEmpty { return }
        statistics.packetsReceived += 1
        guard payload.count <= configuration.maximumPayload, let info = Decoder.inspect(payload) else {
            statistics.packetsUnreadable += 1
            return
        }
        if let known = source.ssrc, known != ssrc { beginStream() }
        source.ssrc = ssrc
        place(sequence)
        let time = source.timestamps.unwrap(timestamp)
        // A newer packet with a clearly older time: the sender set its clock back.
        let isNewest = source.newest.map { sequence > $0.sequence } ?? true
        let stepsBack = isNewest && source.newest.map { $0.timestamp &- time > Int64(Self.maximumPull) } ?? false
        let isFirst = source.hear(sequence)
        if isNewest { source.newest = (sequence, time) }
        // A repetition of what a copy has brought already is late for nobody.
        if source.noteArrival(arrival, isNewest: isNewest), isFirst,
            delays.observe(timestamp: time, arrival: arrival, isOvertaken: !isNewest, isNewLine: stepsBack)
        {
            tempo.level = nil
        }
        guard accepts(sequence) else { return }
        gap.isExpected = false
        let slot = AudioPacketStore.Slot(
            sequence: sequence, timestamp: time, arrival: arrival, info: info, epoch: delays.epoch)
        if !store.insert(slot, payload: payload) { statistics.packetsDuplicated += 1 }
    }

    /// Counts a packet whose payload says nothing.
    package func insertUnreadable() {
        statistics.packetsReceived += 1
        statistics.packetsUnreadable += 1
    }

    /// Takes in the copy of a packet that a later one carries (RFC 2198). It fills a gap only; how late it is says how long a
    /// lost packet is worth waiting for.
    ///
    /// - Parameters:
    ///   - payload: of the frame alone; copied.
    ///   - sequence: of the packet in which the frame was the present one.
    ///   - timestamp: of the frame, as on the wire.
    package func insertCopy(
        _ payload: UnsafeRawBufferPointer, timestamp: UInt32, sequence: Int64, arrival: Instant
    ) {
        guard !payload.isEmpty, payload.count <= configuration.maximumPayload, let newest = source.newest,
            sequence < newest.sequence
        else { return }
        noteCopies(arrival)
        guard !store.contains(sequence), let info = Decoder.inspect(payload) else { return }
        let age = Int32(bitPattern: UInt32(truncatingIfNeeded: newest.timestamp) &- timestamp)
        guard age > 0, age <= RedundantAudio.maximumOffset * RedundantAudio.maximumCopies else { return }
        let time = newest.timestamp &- Int64(age)
        if source.hear(sequence) { _ = delays.observe(timestamp: time, arrival: arrival, isOvertaken: true) }
        guard sequence >= position.sequence else { return }
        // Packets of padding take numbers too: only time tells whether the frame itself is here, or was played.
        switch phase {
        case .empty: return
        case .playing where time < position.timestamp: return
        case .waiting, .playing: break
        }
        guard !store.contains(timestamp: time, near: sequence) else { return }
        let slot = AudioPacketStore.Slot(
            sequence: sequence, timestamp: time, arrival: arrival, info: info, epoch: delays.epoch, isCopy: true)
        _ = store.insert(slot, payload: payload)
    }

    /// Where copies begin, what is lost comes sooner than by repetitions: how late those were says nothing any more.
    private func noteCopies(_ now: Instant) {
        if now >= copiesUntil { delays.forgetLate() }
        copiesUntil = now + .seconds(10)
    }

    /// Says that the sender is known to have stopped, by signalling: until its next packet silence is no concealment.
    package func expectPause() {
        guard !gap.isExpected else { return }
        // What was played since the last packet is explained.
        gap.settle(pause: .max, &statistics)
        gap.isExpected = true
        statistics.unsettledSamples = 0
    }

    /// Delivers the next `frames` samples per channel, interleaved; `now` is when the first of them is played.
    ///
    /// - Parameters:
    ///   - frames: usually 480 or 960; at most `maximumPull`.
    ///   - output: room for `frames * channels` samples; what lies beyond them stays untouched.
    @discardableResult
    package func pull(frames: Int, now: Instant, into output: UnsafeMutableBufferPointer<Int16>) -> AudioPlayoutKind {
        let count = max(0, min(frames, Self.maximumPull, output.count / channels))
        guard begin(now) else {
            output[..<(count * channels)].update(repeating: 0)
            if case .waiting(true) = phase { gap.wait(count, &statistics) }
            return .buffering
        }
        var kind = queue.frameCount > 0 ? AudioPlayoutKind.speech : nil
        // Each step adds sound or takes a packet away; the bound guards against a stream of packets without sound.
        for _ in 0..<(2 * store.capacity) where queue.frameCount < count {
            let step = advance(count - queue.frameCount, now)
            if step == .concealed || kind == nil { kind = step }
        }
        if queue.frameCount < count { queue.appendSilence(count - queue.frameCount) }
        queue.read(count, into: output)
        statistics.totalSamples += count
        statistics.unsettledSamples = gap.unsettled
        return kind ?? .speech
    }

    /// Finds the number's place in the stream; begins the stream anew where it lies far off.
    private func place(_ sequence: Int64) {
        let ahead = sequence &- position.sequence
        switch phase {
        case .empty:
            position.sequence = sequence
            phase = .waiting(resumed: false)
            return
        case .waiting where ahead < 0 && ahead > -Int64(store.capacity / 2): position.sequence = sequence
        default: break
        }
        if ahead >= Int64(store.capacity) || ahead < -Self.oldest { resynchronize(at: sequence) }
    }

    /// Late packets and those that came before are counted and refused.
    private func accepts(_ sequence: Int64) -> Bool {
        let behind = position.sequence &- sequence
        guard behind > 0 else { return true }
        if position.hasPlayed(behind) {
            statistics.packetsDuplicated += 1
        } else {
            statistics.packetsLate += 1
        }
        return false
    }

    /// Another sender: nothing of the old one matters any more.
    private func beginStream() {
        decoder.reset()
        delays.reset()
        source.timestamps = TimestampUnwrapper()
        queue.removeAll()
        gap = PlayoutGap()
        continuation = SoundContinuation(channels: channels)
        restart(at: 0)
        phase = .empty
    }

    /// The sequence jumped further than the buffer reaches.
    private func resynchronize(at sequence: Int64) {
        restart(at: sequence)
        if case .playing = phase { phase = .waiting(resumed: true) }
    }

    private func restart(at sequence: Int64) {
        statistics.packetsSkipped += store.count
        statistics.resets += 1
        store.removeAll()
        position.played = 0
        position.sequence = sequence
        source.newest = nil
        tempo.level = nil
    }

    /// Starts to play once the first packet has waited for its time.
    private func begin(_ now: Instant) -> Bool {
        if case .playing = phase { return true }
        guard case .waiting = phase, let first = store.first(from: position.sequence) else { return false }
        let hasWaited = delays.delay(of: first.timestamp, at: now) >= delays.target()
        guard first.epoch != delays.epoch || hasWaited else { return false }
        position.sequence = first.sequence
        position.timestamp = first.timestamp
        phase = .playing
        gap.settle(pause: 0, &statistics)
        return true
    }
}
