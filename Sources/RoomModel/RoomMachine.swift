import RTCWire
import SFUCore

/// The one truth about a room, in no dialect's words: who is there, what they publish, who gets it and may, who speaks, how
/// good connections are and which layers are wanted.
///
/// Commands go in; what has happened comes out in the order in which it is to be told. No socket, no clock, no task: the
/// same commands at the same times give the same events.
package struct RoomMachine: Sendable {
    package internal(set) var roster = RoomRoster()
    package internal(set) var subscriptions = SubscriptionTable()
    package internal(set) var demands = DemandTable()
    var speakers = SpeakerDetector()
    /// What was last found of connections.
    var grades: [String: ConnectionGrade] = [:]
    /// Tracks whose publishers know that somebody gets them.
    var heeded: Set<String> = []

    package init() {}

    package func participant(_ id: String) -> RoomParticipant? { roster[id] }
    package func track(_ id: String) -> PublishedTrack? { roster.track(id)?.track }

    /// What was last said of how loud somebody is, 0...1.
    package func level(of participant: String) -> Float { speakers.level(of: participant) }

    package mutating func handle(_ command: RoomCommand, now: Instant, into events: inout [RoomEvent]) {
        switch command {
        case .join(let participant): join(participant, now, &events)
        case .activate(let id): activate(id, &events)
        case .leave(let id, let reason): leave(id, reason, now, &events)
        case .change(let id, let change, let origin): self.change(id, change, by: origin, now, &events)
        case .publish(let track, let id): publish(track, by: id, now, &events)
        case .renew(let track): renew(track, &events)
        case .describe(let track): describe(track, &events)
        case .unpublish(let track, let reason): unpublish(track, reason, now, &events)
        case .mute(let track, let isMuted): mute(track, isMuted, &events)
        case .orderMute(let track, let isMuted): orderMute(track, isMuted, &events)
        case .choose(let subscriber, let tracks, let isWanted): choose(subscriber, tracks, isWanted, now, &events)
        case .allow(let publisher, let rule): allow(publisher, rule, now, &events)
        case .prefer(let subscriber, let preferences): prefer(subscriber, preferences, now, &events)
        case .refuse(let subscriber, let track): refuse(subscriber, track, now, &events)
        case .hear(let levels): hear(levels, &events)
        case .rate(let scores): rate(scores, &events)
        }
    }

    /// When `advance` has something to do; `distantFuture` while nothing waits.
    package var nextDeadline: Instant { demands.nextDeadline }

    package mutating func advance(to now: Instant, into events: inout [RoomEvent]) {
        for (track, layer) in demands.advance(to: now) { tell(layer, of: track, &events) }
    }
}
