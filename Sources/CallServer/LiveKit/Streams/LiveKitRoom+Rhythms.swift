import RTCWire

/// What the room's connections do by the clock, beside sharing bandwidth out.
extension LiveKitRoom {
    /// Called with every tick of the streams.
    func keepRhythms(_ now: Instant) {
        media.perform(now: now) { room, outbox, now in room.requestFirstKeyFrames(now: now, into: &outbox) }
        if streams.reportsDue <= now {
            // By the clock, not by ticks: those are late on a busy machine.
            let next = streams.reportsDue + LiveKitRoom.reportInterval
            streams.reportsDue = next > now ? next : now + LiveKitRoom.reportInterval
            for participant in participants.values { participant.subscriber.sendSenderReports() }
        }
        probe()
    }

    private func probe() {
        guard let probing = loop.settings.plane.probing else { return }
        let period = Int(probing.period.nanoseconds / RoomStreams.interval.nanoseconds)
        let steps = Int(probing.duration.nanoseconds / RoomStreams.interval.nanoseconds)
        guard streams.ticks % period >= period - steps else { return }
        for participant in participants.values {
            for send in participant.subscriber.sends where send.kind == .video {
                guard let consumer = send.consumer else { continue }
                // Twice the same, as probes that have not yet got a newer packet repeat the last one.
                for _ in 0..<2 {
                    media.perform { room, outbox, _ in room.repeatLatest(probing.packets, consumer, into: &outbox) }
                }
            }
        }
    }

    /// Between two sender reports.
    private static let reportInterval = Interval.seconds(3)
}
