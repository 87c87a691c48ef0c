import RTCCore
import RTCWire

/// Drives a `SessionMachine` in simulated time: its datagrams go where the driver's own driver sends them, and codecs and
/// sinks run at once, where workers would.
package final class SimulatedSession {
    private var machine: SessionMachine
    private let work = SessionWork()
    /// Is told what the machine says.
    package var onEvent: (SessionMachineEvent) -> Void = { _ in }

    /// - Parameters:
    ///   - certificate: that many sessions may share.
    ///   - ntpOffset: how the simulated time lies to NTP time.
    package init(
        _ configuration: MediaSessionConfiguration, certificate: DTLSCertificate, ntpOffset: Interval, now: Instant
    ) throws {
        machine = try SessionMachine(configuration, certificate: certificate, now: now)
        machine.peer.setClock(ntpOffset: ntpOffset)
    }

    package func receive(
        _ datagram: UnsafeMutableRawBufferPointer, from source: TransportAddress, now: Instant, into outbox: Outbox
    ) {
        let out = SessionOutbox(network: outbox, work: work)
        machine.receive(datagram, from: source, now: now, into: out)
        settle(now: now, into: out)
    }

    package func advance(to now: Instant, into outbox: Outbox) {
        let out = SessionOutbox(network: outbox, work: work)
        machine.advance(to: now, into: out)
        settle(now: now, into: out)
    }

    package var nextDeadline: Instant? { machine.nextDeadline }

    /// Has the machine do something, and performs what follows.
    package func perform<Result>(
        now: Instant, into outbox: Outbox, _ body: (inout SessionMachine, SessionOutbox) throws -> Result
    ) rethrows -> Result {
        let out = SessionOutbox(network: outbox, work: work)
        defer { settle(now: now, into: out) }
        return try body(&machine, out)
    }

    /// What the path is thought to bear, in bit/s.
    package var estimatedBitrate: Int { machine.peer.estimatedBitrate }

    package func statistics(now: Instant) -> SessionStatistics { machine.statistics(now: now) }

    /// Runs jobs until none is left, then tells.
    private func settle(now: Instant, into out: SessionOutbox) {
        work.wakes.removeAll(keepingCapacity: true)
        while !work.jobs.isEmpty {
            var jobs: [MediaJob] = []
            swap(&jobs, &work.jobs)
            for job in jobs {
                if let result = job.run(at: now) { machine.take(result, now: now, into: out) }
            }
        }
        while !work.events.isEmpty {
            var events: [SessionMachineEvent] = []
            swap(&events, &work.events)
            for event in events { onEvent(event) }
        }
    }
}
