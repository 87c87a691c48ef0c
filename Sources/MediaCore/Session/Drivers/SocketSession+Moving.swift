import Logging
import NIOCore
import RTCCore
import RTCTransport
import RTCWire

/// An interface goes away: media goes on from another address of this machine, in the ICE session that there is.
extension SocketSession {
    /// Looks whether the session's own address is still there, and goes on from another one where it isn't. On the loop.
    func follow(_ present: InterfaceAddresses) {
        guard flow != nil, address.mayMove else { return }
        let bases = mux.bases.addresses
        let change = address.note(bases, present)
        // Nothing may have been there to go on from when it was lost.
        if address.isLost(bases, isSilent: machine.peer.isSeekingPath) { return move(present, from: bases) }
        if !change.lost.isEmpty {
            for base in change.lost { emit(.localAddressLost(base.host)) }
            forget(change.lost + change.lost.map { $0.with(.tcp, port: TCPCandidateType.activePort) })
        }
        if !change.returned.isEmpty { nameHosts() }
    }

    private func move(_ present: InterfaceAddresses, from bases: [TransportAddress]) {
        let remotes = machine.peer.remoteCandidates.map(\.address)
        guard let destination = SessionDestination(remotes: remotes, present: present),
            address.takes(destination, from: bases)
        else { return }
        let void: [TransportAddress]
        do throws(UDPBindError) {
            void = try mux.move(to: destination.host, addresses: destination.addresses)
        } catch {
            return engine.logger.warning("media stays on an address that is gone: \(error)")
        }
        address.moved(to: destination, now: MonotonicClock.now())
        // Told before the path is lost: what else leads from there is made anew meanwhile.
        for base in bases where !present.contains(base) { emit(.localAddressLost(base.host)) }
        // The new candidates first: where there are none the path would count as lost for a moment.
        nameHosts()
        forget(void)
        gathering.gatherAnew(for: self)
    }

    /// Adds the socket's host candidates that are not there, and tells the other side of them.
    private func nameHosts() {
        guard gathering.policy == .all else { return }
        flow?.perform { peer, _, _ in mux.addHostCandidates(to: &peer) }
        machine.announceCandidates(into: work)
        settle()
    }

    private func forget(_ bases: [TransportAddress]) {
        flow?.perform { peer, outbox, now in
            for base in bases { peer.removeLocalCandidates(base: base, now: now, into: outbox) }
        }
    }

    /// Looks of its own accord, where something speaks for it: nobody may tell of changes, or none has come.
    func lookAround(_ now: Instant) {
        let isSilent = machine.peer.isSeekingPath
        guard address.wantsLook(failures: mux.statistics.sendFailures, isSilent: isSilent, now: now),
            let present = InterfaceAddresses.current()
        else { return }
        // Not in the middle of a batch, whose datagrams are the old socket's.
        eventLoop.execute { self.follow(present) }
    }
}
