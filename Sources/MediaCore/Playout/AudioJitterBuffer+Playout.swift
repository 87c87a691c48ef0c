import RTCWire

/// How the next samples come about.
extension AudioJitterBuffer {
    /// Beyond a loss, a pause this long means that the sender had stopped as well (120 ms).
    private static var longestPacket: Int { 5_760 }

    /// Appends sound to the queue, or moves on in the sender's time.
    ///
    /// - Parameter missing: samples per channel that the present pull still lacks.
    func advance(_ missing: Int, _ now: Instant) -> AudioPlayoutKind {
        guard let next = store.first(from: position.sequence) else { return idle(missing) }
        let ahead = Int(clamping: next.timestamp &- position.timestamp)
        let lost = Int(clamping: next.sequence &- position.sequence)
        guard ahead > 0 else {
            // In order, or the sender's clock stepped back: play on from there. Numbers without time between them were
            // padding, unless something was played in their place.
            if gap.length > 0 { statistics.packetsLost += max(0, lost) }
            gap.settle(pause: 0, &statistics)
            return decode(next, now)
        }
        let lostFrames = lostFrames(lost, before: next, ahead: ahead)
        let pause = ahead - lostFrames
        if pause > 0 { return wait(for: next, pause: pause, lost: lostFrames, missing, now) }
        return bridge(to: next, lost: lostFrames, now)
    }

    /// How many of the `ahead` samples before a packet were lost, rather than never sent.
    private func lostFrames(_ packets: Int, before next: AudioPacketStore.Slot, ahead: Int) -> Int {
        guard packets > 0 else { return 0 }
        let (likely, overflow) = packets.multipliedReportingOverflow(by: max(packetFrames, next.info.frameCount))
        return overflow || ahead - likely <= Self.longestPacket ? ahead : likely
    }

    /// Nothing has come: the network is late, or the sender stopped.
    private func idle(_ missing: Int) -> AudioPlayoutKind {
        if gap.isComfort {
            let count = appendConcealment(missing, limit: PlayoutGap.comfort).frames
            gap.comfort(count, &statistics)
            return .comfort
        }
        let (count, silent) = appendConcealment(missing, limit: PlayoutGap.fade)
        gap.wait(count, silent: silent, &statistics)
        return gap.isExpected ? .comfort : .concealed
    }

    /// The sender had stopped; its next packet waits for its time.
    private func wait(
        for next: AudioPacketStore.Slot, pause: Int, lost: Int, _ missing: Int, _ now: Instant
    ) -> AudioPlayoutKind {
        let resume = next.timestamp &- Int64(lost)
        if next.epoch == delays.epoch, delays.delay(of: resume, at: now) < target(now) {
            let limit = gap.isComfort ? PlayoutGap.comfort : PlayoutGap.fade
            let count = appendConcealment(missing, limit: limit).frames
            gap.comfort(count, &statistics)
            return .comfort
        }
        gap.settle(pause: pause, &statistics)
        let covered = gap.reclaim(lost, beyond: pause, &statistics)
        position.timestamp = resume &+ Int64(covered)
        tempo.level = nil
        return lost > 0 ? bridge(to: next, lost: lost - covered, now) : decode(next, now)
    }

    /// Packets were lost, and the one behind them is here.
    private func bridge(to next: AudioPacketStore.Slot, lost: Int, _ now: Instant) -> AudioPlayoutKind {
        let left = lost - gap.unsettled
        let redundant = next.info.redundantFrameCount
        if redundant > 0 { redundancyUntil = now + .seconds(10) }
        guard left > 0 else { return skip(to: next, now) }
        if redundant > 0, left <= redundant { return recover(left, from: next, now) }
        // Time that has passed already needn't be filled with invented sound.
        if next.epoch == delays.epoch, delays.delay(of: next.timestamp, at: now) >= target(now) {
            return redundant > 0 ? recover(redundant, from: next, now) : skip(to: next, now)
        }
        let (count, silent) = appendConcealment(min(left - min(redundant, left - 1), 480), limit: PlayoutGap.fade)
        gap.conceal(count, silent: silent, &statistics)
        position.timestamp = position.timestamp &+ Int64(min(count, left))
        return .concealed
    }

    /// Plays a packet although some before it are missing.
    private func skip(to next: AudioPacketStore.Slot, _ now: Instant) -> AudioPlayoutKind {
        gap.settle(pause: 0, &statistics)
        statistics.packetsLost += Int(clamping: next.sequence &- position.sequence)
        position.timestamp = next.timestamp
        return decode(next, now)
    }

    /// Rebuilds the last `frames` samples before a packet from the packet's redundancy, then plays on.
    private func recover(_ frames: Int, from next: AudioPacketStore.Slot, _ now: Instant) -> AudioPlayoutKind {
        gap.settle(pause: 0, &statistics)
        let whole = next.info.redundantFrameCount
        let space = queue.space(whole)
        guard space.count == whole * channels, (try? decoder.recover(from: store.payload(of: next), into: space)) != nil
        else { return skip(to: next, now) }
        queue.commit(whole)
        // What stood before was concealed while the packet was awaited.
        queue.remove(whole - frames, beforeLast: frames)
        resume(frames)
        statistics.recoveredSamples += frames
        statistics.packetsRecovered += 1
        statistics.packetsLost += max(0, Int(clamping: next.sequence &- position.sequence) - 1)
        position.timestamp = next.timestamp
        position.moveOn(to: next.sequence)
        gap.end()
        return .speech
    }

    /// Decodes a packet and adapts the speed.
    private func decode(_ slot: AudioPacketStore.Slot, _ now: Instant) -> AudioPlayoutKind {
        let slot = skipExcess(from: slot, now)
        let space = queue.space(slot.info.frameCount)
        let count = (try? decoder.decode(store.payload(of: slot), into: space)) ?? 0
        // What is played late may have come after it was due.
        let delay = max(.zero, now + Interval(nanoseconds: Int64(queue.frameCount) * 62_500 / 3) - slot.arrival)
        take(slot)
        guard count > 0, count * channels <= space.count else { return replace(slot) }
        queue.commit(count)
        position.timestamp = slot.timestamp &+ Int64(count)
        packetFrames = count
        if slot.isCopy {
            statistics.packetsRecovered += 1
            statistics.recoveredSamples += count
        } else {
            statistics.packetsDecoded += 1
        }
        statistics.delaySum = statistics.delaySum + delay
        statistics.delayMaximum = max(statistics.delayMaximum, delay)
        if slot.info.isSilenceMarker {
            gap.end()
            gap.isComfort = true
            gap.comfort(count, &statistics)
            return .comfort
        }
        resume(count)
        gap.end()
        adapt(slot, count, now)
        return .speech
    }

    /// A packet that the decoder refused: its length is concealed.
    private func replace(_ slot: AudioPacketStore.Slot) -> AudioPlayoutKind {
        statistics.packetsUnreadable += 1
        let (count, silent) = appendConcealment(slot.info.frameCount, limit: PlayoutGap.fade)
        gap.conceal(count, silent: silent, &statistics)
        position.timestamp = slot.timestamp &+ Int64(slot.info.frameCount)
        return .concealed
    }

    /// Removes a packet that is being played, and moves on behind it.
    private func take(_ slot: AudioPacketStore.Slot) {
        position.moveOn(behind: slot.sequence)
        store.remove(slot)
    }

    /// After an outage whole packets are left out until the delay is bearable.
    private func skipExcess(from slot: AudioPacketStore.Slot, _ now: Instant) -> AudioPacketStore.Slot {
        let bearable = target(now) + configuration.excess
        guard slot.epoch == delays.epoch, delays.delay(of: slot.timestamp, at: now) > bearable else { return slot }
        var slot = slot
        while delays.delay(of: slot.timestamp, at: now) > target(now),
            let next = store.first(from: slot.sequence &+ 1), next.epoch == slot.epoch
        {
            statistics.packetsSkipped += 1
            statistics.acceleratedSamples += slot.info.frameCount
            take(slot)
            slot = next
        }
        tempo.level = nil
        return slot
    }
}

/// The speed of playing.
extension AudioJitterBuffer {
    /// The delay aimed at.
    func target(_ now: Instant) -> Interval { delays.target(allowance: allowance(now)) }

    /// Where packets are lost and bring redundancy, each may wait for its successor.
    func allowance(_ now: Instant) -> Interval {
        now < redundancyUntil ? Interval(nanoseconds: Int64(packetFrames) * 62_500 / 3) : .zero
    }

    /// Compares the delay with the target and stretches the `count` samples just decoded where they differ.
    private func adapt(_ slot: AudioPacketStore.Slot, _ count: Int, _ now: Instant) {
        let target = Double(target(now).nanoseconds)
        statistics.targetDelay = Interval(nanoseconds: Int64(target))
        guard slot.epoch == delays.epoch else { return }
        let isSettling = delays.isSettling && configuration.beginsLater && now >= tempo.queuedUntil
        let rest = isSettling ? Double(queue.frameCount - count) * 62_500 / 3 : 0
        let present = Double(delays.delay(of: slot.timestamp, at: now).nanoseconds) + rest
        let smooth = tempo.level.map { $0 + (present - $0) / 8 } ?? present
        tempo.level = smooth
        statistics.currentDelay = Interval(nanoseconds: Int64(smooth))
        tempo.pause = max(0, tempo.pause - count)
        let least = max(target * 0.75, target - Self.near)
        let slack = isSettling ? Self.settled : slack(target, now)
        let lead = Double(delays.lead(at: Interval(nanoseconds: Int64(present))).nanoseconds)
        if delays.isRising, lead < Self.leastLead {
            tempo.queuedUntil = now + .seconds(15)
            expand(count, urgent: true)
        } else if min(smooth, present) > target + slack, lead > slack {
            accelerate(count, urgent: smooth > target + max(Self.far, target / 2))
        } else if max(smooth, present) < least {
            expand(count, urgent: smooth < target - Self.far)
        }
    }

    /// Above the target by that much sound is left alone, ns. Short waits are not worth stretching sound for; and they are longer where
    /// queues have grown lately, for they will again.
    private func slack(_ target: Double, _ now: Instant) -> Double {
        now < tempo.queuedUntil ? min(max(15e6, Self.queued - target), 35e6) : max(15e6, Self.short - target)
    }

    /// The same where a stream gives up the wait that it began with: counted with what is decoded and not yet played.
    private static var settled: Double { 10e6 }

    /// A wait that nobody notices, ns.
    private static var short: Double { 40e6 }
    /// A wait that is enough for a queue that grows again, ns.
    private static var queued: Double { 95e6 }
    /// Below the target by that much sound is left alone, ns.
    private static var near: Double { 20e6 }
    /// Packets of a growing queue that come no sooner before their time than that are played slower, ns: the next ones will be late.
    private static var leastLead: Double { 25e6 }
    /// From the target by that much it is brought there as fast as may be, ns.
    private static var far: Double { 100e6 }

    private func accelerate(_ count: Int, urgent: Bool) {
        guard urgent || tempo.pause == 0 else { return }
        let removed = tempo.stretcher.accelerate(
            queue.tail(count), frames: count, channels: channels, similarity: urgent ? 0.5 : 0.8)
        guard removed > 0 else { return }
        queue.trim(removed)
        statistics.acceleratedSamples += removed
        stretched(-removed)
    }

    private func expand(_ count: Int, urgent: Bool) {
        guard urgent || tempo.pause == 0 else { return }
        let added = tempo.stretcher.expand(
            queue.tail(count, spare: TimeStretcher.span / 2), frames: count, channels: channels,
            similarity: urgent ? 0.5 : 0.7)
        guard added > 0 else { return }
        queue.commit(added)
        statistics.expandedSamples += added
        stretched(added)
    }

    private func stretched(_ frames: Int) {
        tempo.pause = 1_920
        tempo.level = tempo.level.map { $0 + Double(frames) * 62_500 / 3 }
    }
}

/// Invented sound.
extension AudioJitterBuffer {
    /// Appends at least `frames` samples per channel that continue the last sound, or silence once the gap is longer
    /// than `limit`.
    private func appendConcealment(_ frames: Int, limit: Int) -> (frames: Int, silent: Bool) {
        // Decoders conceal in steps of 2.5 ms.
        let count = min((max(frames, 1) + 119) / 120 * 120, queue.room / 120 * 120)
        guard gap.length < limit else {
            queue.appendSilence(count)
            return (count, true)
        }
        let space = queue.space(count)
        // What a sender that has stopped sounds like its decoder knows.
        guard !gap.isComfort && continuation.goOn(space) || (try? decoder.conceal(into: space)) != nil else {
            queue.appendSilence(count)
            return (count, true)
        }
        if gap.length + count >= limit { fade(space, rising: false) }
        queue.commit(count)
        return (count, false)
    }

    /// The last `count` samples follow invented sound or silence, perhaps: softens the step.
    private func resume(_ count: Int) {
        let sound = queue.tail(count)
        if gap.length < PlayoutGap.fade {
            continuation.merge(into: sound)
        } else {
            fade(UnsafeMutableBufferPointer(rebasing: sound[..<(min(count, 120) * channels)]), rising: true)
        }
        continuation.keep(sound)
    }

    private func fade(_ samples: UnsafeMutableBufferPointer<Int16>, rising: Bool) {
        let frames = samples.count / channels
        for frame in 0..<frames {
            let position = (Float(frame) + 0.5) / Float(frames)
            let gain = rising ? position : 1 - position
            for channel in 0..<channels {
                let index = frame * channels + channel
                samples[index] = Int16(Float(samples[index]) * gain)
            }
        }
    }
}
