import RTCCore
import RTCWire

@testable import RoomModel

/// A room in virtual time.
struct RoomFixture {
    var machine = RoomMachine()
    var now = Instant.zero

    /// With these in it, active, and nothing published.
    init(_ names: String...) {
        for name in names {
            handle(.join(RoomParticipant(id: "P_\(name)", identity: name)))
            handle(.activate("P_\(name)"))
        }
    }

    @discardableResult
    mutating func handle(_ command: RoomCommand, after wait: Interval = .zero) -> [RoomEvent] {
        now = now + wait
        var events: [RoomEvent] = []
        machine.handle(command, now: now, into: &events)
        return events
    }

    /// Goes to the next deadline.
    mutating func advance() -> [RoomEvent] {
        now = machine.nextDeadline
        var events: [RoomEvent] = []
        machine.advance(to: now, into: &events)
        return events
    }

    /// Has somebody publish a track that is named after it: "a/mic", "a/cam".
    @discardableResult
    mutating func publish(_ kind: StreamKind, by name: String) -> [RoomEvent] {
        handle(.publish(RoomFixture.track(kind, of: name), by: "P_\(name)"))
    }

    static func track(_ kind: StreamKind, of name: String) -> PublishedTrack {
        PublishedTrack(
            id: kind == .audio ? "\(name)/mic" : "\(name)/cam", kind: kind,
            source: kind == .audio ? .microphone : .camera, name: "", isMuted: false)
    }

    static func subscription(_ subscriber: String, _ publisher: String, _ kind: StreamKind) -> Subscription {
        Subscription(
            subscriber: "P_\(subscriber)", publisher: "P_\(publisher)", track: track(kind, of: publisher).id)
    }
}

extension [RoomEvent] {
    /// What subscriptions have become, in a few words: "+b a/mic", "-b a/mic".
    var subscriptions: [String] {
        compactMap { event in
            switch event {
            case .subscriptionBegan(let one): "+\(one.subscriber.dropFirst(2)) \(one.track)"
            case .subscriptionEnded(let one): "-\(one.subscriber.dropFirst(2)) \(one.track)"
            case .subscriptionRenewed(let one): "~\(one.subscriber.dropFirst(2)) \(one.track)"
            default: nil
            }
        }
    }

    /// Who was told which levels: "b: a 0.5".
    var levels: [String] {
        flatMap { event -> [String] in
            guard case .speakers(let speakers, let listener) = event else { return [] }
            return speakers.map { "\(listener.dropFirst(2)): \($0.participant.dropFirst(2)) \($0.level)" }
        }
    }

    /// What publishers are asked for: "a/cam 2".
    var demands: [String] {
        compactMap { event in
            guard case .demand(let track, _, let layer) = event else { return nil }
            return "\(track) \(layer)"
        }
    }

    /// "b a/mic yes".
    var permissions: [String] {
        compactMap { event in
            guard case .permission(let one, let isAllowed) = event else { return nil }
            return "\(one.subscriber.dropFirst(2)) \(one.track) \(isAllowed ? "yes" : "no")"
        }
    }
}
