import RTCCore
import RTCWire

/// Where a `SessionMachine` puts what it sends, what it has to say and what it wants done.
package struct SessionOutbox {
    /// Datagrams, and what the peer has said on its way to the machine.
    package let network: Outbox
    package let work: SessionWork

    package init(network: Outbox, work: SessionWork) {
        self.network = network
        self.work = work
    }
}

/// What a machine has to say and wants done. The driver takes it out after each call.
package final class SessionWork {
    package var events: [SessionMachineEvent] = []
    package var jobs: [MediaJob] = []
    /// Timed work that began, and how late it did.
    package var wakes: [TimedWake] = []

    package init() {}

    package var isEmpty: Bool { events.isEmpty && jobs.isEmpty && wakes.isEmpty }

    func tell(_ event: MediaSessionEvent) { events.append(.session(event)) }
}

/// What a machine says.
package enum SessionMachineEvent: Sendable {
    case session(MediaSessionEvent)
    case dataChannelOpened(DataChannelID, DataChannelConfiguration)
    case dataMessage(DataChannelID, [UInt8], isText: Bool)
    case dataChannelClosed(DataChannelID)
    /// A candidate of the other side whose host is a name of the local network; its address goes back by
    /// `addFoundCandidate`.
    case hiddenCandidate(ICECandidate)
}

/// Something that was due at a time and began at another one; `skipped` ticks after it were left out.
package struct TimedWake: Sendable {
    package var due: Instant
    package var now: Instant
    package var skipped: Int
}
