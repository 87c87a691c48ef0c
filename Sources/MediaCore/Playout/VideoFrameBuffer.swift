import RTCWire

/// VP8 packets in, whole frames out, in order and decodable.
///
/// A frame is released the moment it is whole and everything it refers to has been released. A missing packet is
/// waited for, so that a retransmission can repair the stream without a gap; when it stays away for long, a key frame
/// is asked for, and whichever comes first ends the wait. Bounded in frames and bytes.
///
/// Sans-IO and without locks: after each batch of packets, and at the deadline, call `nextFrame` until it gives nil,
/// then `takeKeyFrameRequest`.
package final class VideoFrameBuffer {
    package let configuration: VideoPlayoutConfiguration
    /// How long is waited on this way; those of the configuration until something is known of it.
    package var waits: FrameWaits
    package internal(set) var statistics = VideoPlayoutStatistics()

    private let pool: VideoFramePool
    /// Frames under assembly and whole ones that wait, by sequence number.
    private var frames: [FrameAssembly] = []
    private var spare: [FrameAssembly] = []
    private var bytes = 0
    private var continuity = VP8Continuity()
    private var ssrc: UInt32?
    /// Until the next key frame nothing can be decoded.
    private var needsKeyFrame = true
    /// Since when the first frame has been held up by a missing packet.
    private var blockedSince: Instant?
    private var lastRequest: Instant?
    /// The place of the latest key frame among the frames that were released.
    private var lastKeyFrame = 0
    /// A key frame is to be asked for at once.
    private var isRequestDue = false

    /// - Parameter pool: the memory of its frames, which many streams may share.
    package init(configuration: VideoPlayoutConfiguration = .init(), pool: VideoFramePool = VideoFramePool()) {
        self.configuration = configuration
        waits = FrameWaits(configuration)
        self.pool = pool
    }

    /// Takes in a packet.
    ///
    /// - Parameters:
    ///   - payload: descriptor and data, without padding; copied. An empty one only fills its place in the sequence.
    ///   - sequence: without wrap-around.
    package func insert(
        _ payload: UnsafeRawBufferPointer, marker: Bool, timestamp: UInt32, sequence: Int64, ssrc: UInt32,
        isRepaired: Bool = false, arrival: Instant
    ) {
        statistics.packetsReceived += 1
        if statistics.firstPacket == nil { statistics.firstPacket = arrival }
        if self.ssrc != ssrc || isFarOff(sequence) { restart(ssrc) }
        guard sequence > continuity.lastSequence else {
            statistics.packetsLate += 1
            return
        }
        if payload.isEmpty {
            continuity.fill(sequence)
        } else {
            store(
                payload, marker: marker, timestamp: timestamp, sequence: sequence, isRepaired: isRepaired,
                arrival: arrival)
        }
        noteBlocking(arrival)
    }

    /// The next frame for the decoder; nil when there is none now.
    package func nextFrame(now: Instant) -> AssembledVideoFrame? {
        dropUseless(now)
        guard let first = frames.first, first.isComplete else { return nil }
        if needsKeyFrame {
            guard first.isKeyFrame else { return nil }
        } else {
            guard continuity.follows(first) || (isOverdue(now) && continuity.canSkip(to: first)) else { return nil }
        }
        return release(now)
    }

    /// True where a key frame is to be asked for now; each true is counted and stands for one request.
    package func takeKeyFrameRequest(now: Instant) -> Bool {
        guard isRequestDue || isRequestDue(now) else { return false }
        if let lastRequest, now - lastRequest < configuration.keyFrameRequestInterval { return false }
        isRequestDue = false
        lastRequest = now
        statistics.keyFrameRequests += 1
        return true
    }

    /// When `nextFrame` and `takeKeyFrameRequest` are to be called next even if no packet comes.
    package func nextDeadline(after now: Instant) -> Instant? {
        guard let blockedSince else { return nil }
        var request = max(blockedSince + requestDelay, now)
        if let lastRequest { request = max(request, lastRequest + configuration.keyFrameRequestInterval) }
        let skip = blockedSince + waits.skip
        return skip > now ? min(skip, request) : request
    }

    /// The decoder refused a frame, or it can't be decrypted: a key frame is needed, unless one has been released since: that
    /// one is on its way to the decoder and makes the failure good.
    package func decoderFailed(_ frame: AssembledVideoFrame? = nil, now: Instant) {
        if let frame, frame.order < lastKeyFrame { return }
        needsKeyFrame = true
        isRequestDue = true
        if blockedSince == nil { blockedSince = now }
    }

    /// Frames that wait, whole or not.
    package var waitingFrames: Int { frames.count }
}

// MARK: - Taking in

extension VideoFrameBuffer {
    /// No reordering reaches so far: the sender's sequence began anew.
    private func isFarOff(_ sequence: Int64) -> Bool {
        guard continuity.lastSequence != .min || !frames.isEmpty else { return false }
        let last = max(continuity.lastSequence, frames.last?.lastSequence ?? .min)
        let distance = sequence.subtractingReportingOverflow(last)
        return distance.overflow || distance.partialValue > 10_000 || distance.partialValue < -10_000
    }

    private func restart(_ ssrc: UInt32) {
        if self.ssrc != nil { statistics.resets += 1 }
        self.ssrc = ssrc
        removeFrames(frames.count)
        continuity = VP8Continuity()
        needsKeyFrame = true
        blockedSince = nil
    }

    private func store(
        _ payload: UnsafeRawBufferPointer, marker: Bool, timestamp: UInt32, sequence: Int64, isRepaired: Bool,
        arrival: Instant
    ) {
        guard let descriptor = try? VP8PayloadDescriptor(parsing: payload.bytes),
            descriptor.encodedLength < payload.count
        else {
            statistics.packetsUnreadable += 1
            return
        }
        let data = UnsafeRawBufferPointer(rebasing: payload[descriptor.encodedLength...])
        let frame = frame(of: timestamp, sequence, arrival)
        guard frame.length + data.count <= configuration.maximumFrameBytes else {
            statistics.packetsUnreadable += 1
            return
        }
        let wasBlocked = frame.hasHole && !frame.chunks.isEmpty
        let isNew = frame.insert(
            data, descriptor, sequence: sequence, marker: marker, isRepaired: isRepaired, arrival: arrival)
        guard isNew else {
            statistics.packetsDuplicated += 1
            return
        }
        bytes += data.count
        if frame.isComplete {
            statistics.framesReceived += 1
            if wasBlocked { statistics.framesRepaired += 1 }
        }
        keepBounds()
    }

    /// The frame of a timestamp; a new one where there is none.
    private func frame(of timestamp: UInt32, _ sequence: Int64, _ arrival: Instant) -> FrameAssembly {
        if let frame = frames.last(where: { $0.timestamp == timestamp }) { return frame }
        let frame = spare.popLast() ?? FrameAssembly()
        frame.begin(timestamp, arrival: arrival, memory: pool.take())
        let index = frames.lastIndex { $0.firstSequence < sequence }.map { $0 + 1 } ?? 0
        frames.insert(frame, at: index)
        return frame
    }

    private func keepBounds() {
        guard frames.count > configuration.maximumFrames || bytes > configuration.maximumBytes else { return }
        giveUp(frames.count)
        isRequestDue = true
    }
}

// MARK: - Letting out

extension VideoFrameBuffer {
    private var requestDelay: Interval {
        if statistics.framesReleased == 0 { return configuration.firstKeyFrameDelay }
        return configuration.retransmission ? waits.keyFrameRequest : configuration.reorderDelay
    }

    private func isOverdue(_ now: Instant) -> Bool {
        guard let blockedSince else { return false }
        return now - blockedSince >= min(waits.skip, requestDelay)
    }

    private func isRequestDue(_ now: Instant) -> Bool {
        guard let blockedSince else { return false }
        return now - blockedSince >= requestDelay
    }

    /// Whether the first frame waits for something that should have come already.
    private var isBlocked: Bool {
        guard let first = frames.first else { return needsKeyFrame && ssrc != nil && lastRequest != nil }
        if needsKeyFrame { return !(first.isKeyFrame && !first.hasHole && frames.count == 1) }
        return frames.count > 1 || first.hasHole || !continuity.follows(first)
    }

    private func noteBlocking(_ now: Instant) {
        if !isBlocked {
            blockedSince = nil
        } else if blockedSince == nil {
            blockedSince = now
        }
    }

    /// Drops what can't be decoded any more.
    private func dropUseless(_ now: Instant) {
        if needsKeyFrame {
            if let key = frames.firstIndex(where: { $0.isKeyFrame && $0.isComplete }) {
                giveUp(key)
            } else {
                let deltas = frames.prefix { $0.isComplete && !$0.isKeyFrame }.count
                if deltas > 0 {
                    giveUp(deltas)
                    isRequestDue = isRequestDue || frames.isEmpty
                    if blockedSince == nil { blockedSince = now }
                }
            }
        } else if isOverdue(now) || (lastRequest != nil && blockedSince != nil) {
            let skippable = frames.firstIndex { $0.isComplete && continuity.canSkip(to: $0) }
            if let skippable, skippable > 0 { giveUp(skippable, keepsDecoding: true) }
        }
    }

    /// Drops the first frames, and waits for a key frame unless the next one can do without them.
    private func giveUp(_ count: Int, keepsDecoding: Bool = false) {
        guard count > 0 else { return }
        if statistics.keyFramesReleased > 0 {
            statistics.framesDropped += count
        } else {
            statistics.framesBeforeKeyFrame += count
        }
        continuity.pass(count < frames.count ? frames[count].firstSequence &- 1 : frames[count - 1].lastSequence)
        removeFrames(count)
        if !keepsDecoding { needsKeyFrame = true }
    }

    private func removeFrames(_ count: Int) {
        for frame in frames.prefix(count) {
            bytes -= frame.length
            if let memory = frame.takeMemory() { pool.give(back: memory) }
            recycle(frame)
        }
        frames.removeFirst(count)
    }

    private func recycle(_ frame: FrameAssembly) {
        if spare.count < 4 { spare.append(frame) }
    }

    private func release(_ now: Instant) -> AssembledVideoFrame? {
        let first = frames.removeFirst()
        guard let memory = first.takeMemory() else { return nil }
        let frame = AssembledVideoFrame(first, order: statistics.framesReleased, memory: memory, pool: pool)
        bytes -= first.length
        continuity.release(first)
        if first.isKeyFrame {
            needsKeyFrame = false
            isRequestDue = false
            lastKeyFrame = frame.order
            statistics.keyFramesReleased += 1
        }
        lastRequest = nil
        statistics.framesReleased += 1
        if statistics.firstFrame == nil { statistics.firstFrame = now }
        recycle(first)
        blockedSince = nil
        noteBlocking(now)
        return frame
    }
}
