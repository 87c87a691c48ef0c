import RTCWire

/// The largest layer that anybody wants of one published track, and when its publisher is to be told (dynacast).
///
/// More is asked for at once; less only after it has been enough for a while, so that somebody who turns away for a
/// moment doesn't stop and start an encoder. The first word about a track waits, too: a client knows the track by its sid
/// only when its publishing is through, and sends everything until then.
package struct LayerDemand: Sendable {
    /// How long less must be enough before the publisher is told.
    package static let loweringDelay = Interval.seconds(5)
    /// How long the first word about a track waits.
    package static let settlingTime = Interval.milliseconds(500)
    /// Stands for nobody wanting anything.
    package static let nobody = -1

    /// What the publisher was told; nil before the first time: it sends everything meanwhile.
    package private(set) var announced: Int?
    private var wanted = LayerDemand.nobody
    /// When the lowering that is under way is announced; nil where there is none.
    package private(set) var deadline: Instant?

    package init() {}

    /// What the publisher may be taken to send.
    package var effective: Int { announced ?? 2 }

    /// Takes in what is wanted now, as a rank from 0, or `nobody`. Gives what to tell the publisher at once.
    package mutating func update(_ rank: Int, now: Instant) -> Int? {
        wanted = rank
        if rank == announced {
            deadline = nil
            return nil
        }
        if rank >= 0, announced == nil {
            deadline = min(deadline ?? now + LayerDemand.settlingTime, now + LayerDemand.settlingTime)
            return nil
        }
        if rank > announced ?? rank {
            deadline = nil
            announced = rank
            return rank
        }
        if deadline == nil { deadline = now + LayerDemand.loweringDelay }
        return nil
    }

    /// Gives what to tell the publisher where a lowering has become due.
    package mutating func advance(to now: Instant) -> Int? {
        guard let deadline, deadline <= now else { return nil }
        self.deadline = nil
        announced = wanted
        return wanted
    }
}
