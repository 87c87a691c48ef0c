import NIOCore
import OpenTokSignalling
import RTCCore
import RTCWire
import SFUCore

/// The media router of one session: a connection for each published stream, and one for each subscription to it.
// Lives on its room's event loop.
final class OpenTokMedia {
    unowned let room: OpenTokRoom
    let media: RoomMedia
    private(set) var publishers: [String: OpenTokPublisher] = [:]
    private var ticks = 0
    private var reportsDue = Instant.zero
    private var timer: RepeatedTask?

    init(room: OpenTokRoom) {
        self.room = room
        media = RoomMedia(eventLoop: room.eventLoop)
    }

    var statistics: ForwardingStatistics { media.statistics }

    // MARK: What the session says

    func perform(_ command: OpenTokSession.MediaCommand, now: Instant) {
        switch command {
        case .publish(let stream): publish(stream, now)
        case .endStream(let stream):
            publishers.removeValue(forKey: stream)?.close()
            if publishers.isEmpty { stopClock() }
        case .setChannel(let stream, let kind, let isActive):
            publishers[stream]?.set(StreamKind(kind), isActive: isActive, now: now)
        case .subscribe(let stream, let subscriber): publishers[stream]?.subscribe(subscriber, now: now)
        case .unsubscribe(let stream, let subscriber): publishers[stream]?.unsubscribe(subscriber)
        case .prefer(let stream, let subscriber, let kind, let preferences):
            publishers[stream]?.subscriptions[subscriber]?.prefer(StreamKind(kind), preferences, now: now)
        case .negotiate(let peer, let step): _ = negotiate(peer, step, now: now)
        }
    }

    /// What a client says of its connection; false where that can't be used.
    func negotiate(_ peer: RaptorPeer, _ step: RaptorNegotiation, now: Instant) -> Bool {
        do throws(NegotiationFailure) {
            switch peer {
            case .stream(let id):
                guard let publisher = publishers[id] else { return false }
                return try publisher.take(step, now: now)
            case .subscriber(let stream, let id):
                guard let subscription = publishers[stream]?.subscriptions[id] else { return false }
                return try subscription.take(step, now: now)
            }
        } catch {
            room.logger.notice("opentok description refused", metadata: ["reason": "\(error)"])
            return false
        }
    }

    private func publish(_ stream: String, _ now: Instant) {
        guard let publisher = OpenTokPublisher(stream, media: self) else {
            room.logger.notice("opentok stream ended: the media port has too many peers")
            return room.change(now) {
                $0.endStream(stream, .networkDisconnected, at: WallClock.milliseconds, into: &$1)
            }
        }
        publishers[stream] = publisher
        startClock()
    }

    // MARK: The clock

    private func startClock() {
        guard timer == nil else { return }
        timer = room.eventLoop.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) {
            [weak room] _ in
            guard let room else { return }
            room.loop.meter.measure(.timer, "opentok streams") { room.media.tick($0) }
        }
    }

    private func stopClock() {
        timer?.cancel()
        timer = nil
    }

    /// Some times a second: shares bandwidth out, and keeps what goes by the clock.
    private func tick(_ now: Instant) {
        media.perform(now: now) { room, outbox, now in room.requestFirstKeyFrames(now: now, into: &outbox) }
        let isReportDue = reportsDue <= now
        if isReportDue { reportsDue = now + Self.reportInterval }
        for publisher in Array(publishers.values) {
            publisher.tick(now)
            if isReportDue {
                for subscription in publisher.subscriptions.values { subscription.connection.sendSenderReports() }
            }
        }
        room.drain(now)
    }

    /// How often bandwidth is shared out anew.
    private static let interval = TimeAmount.milliseconds(250)
    /// Between two sender reports.
    private static let reportInterval = Interval.seconds(3)

    /// Ends everything.
    func close() {
        stopClock()
        for publisher in publishers.values { publisher.close() }
        publishers = [:]
        media.close()
    }
}

extension StreamKind {
    init(_ kind: RaptorChannel.Kind) { self = kind == .video ? .video : .audio }
}
