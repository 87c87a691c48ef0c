import RTCWire

/// What the room's connections do by the clock, beside sharing bandwidth out.
extension Room {
    /// Called with every tick of the measures.
    func keepRhythms(_ now: Instant) {
        media.perform(now: now) { room, outbox, now in room.requestFirstKeyFrames(now: now, into: &outbox) }
        if measures.reportsDue <= now {
            // By the clock, not by ticks: those are late on a busy machine.
            let next = measures.reportsDue + Room.reportInterval
            measures.reportsDue = next > now ? next : now + Room.reportInterval
            for connection in receivers { connection.sendSenderReports() }
        }
        probe()
    }

    private func probe() {
        guard let probing = loop.settings.plane.probing else { return }
        let period = Int(probing.period.nanoseconds / RoomMeasures.interval.nanoseconds)
        let steps = Int(probing.duration.nanoseconds / RoomMeasures.interval.nanoseconds)
        guard measures.ticks % period >= period - steps else { return }
        for connection in receivers {
            for send in connection.sends where send.kind == .video {
                guard let consumer = send.consumer else { continue }
                // Twice the same, as probes that have not yet got a newer packet repeat the last one.
                for _ in 0..<2 {
                    media.perform { room, outbox, _ in room.repeatLatest(probing.packets, consumer, into: &outbox) }
                }
            }
        }
    }

    private var receivers: [MediaConnection] { members.values.flatMap(\.receivers) }

    /// Between two sender reports.
    private static let reportInterval = Interval.seconds(3)
}
