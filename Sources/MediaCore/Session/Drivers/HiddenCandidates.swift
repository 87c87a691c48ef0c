import Logging
import RTCCore
import RTCTransport
import RTCWire

/// Finds the addresses behind the names that a browser puts in the place of its host addresses, and gives the candidates
/// to the session once they are known. Until then, and where they never are, the call goes by other candidates.
// Touched on the session's event loop only.
final class HiddenCandidates {
    private let logger: Logger
    /// Made for the first name: most sessions meet none.
    private var lookup: MulticastLookup?

    init(logger: Logger) { self.logger = logger }

    /// - Parameter candidate: whose host is a name of the form that may be asked for.
    func resolve(_ candidate: ICECandidate, for session: SocketSession) {
        guard let name = HiddenHostName(candidate.host) else { return }
        // A host of the local network is no use to whoever may be reached by a relay alone, and need not hear of us.
        guard session.gathering.policy == .all else {
            return logger.debug("candidate not used: only relays may be, and \(name.text) is none")
        }
        let lookup = lookup ?? MulticastLookup(session.mux)
        self.lookup = lookup
        lookup.resolve(name) { [weak session, logger] address in
            guard let address else {
                return logger.debug("candidate not used: no address on the local network is known for \(name.text)")
            }
            guard let session else { return }
            logger.debug("\(name.text) is \(address.host)")
            var found = candidate
            found.host = address.host
            _ = try? session.perform { machine, now, out in machine.addFoundCandidate(found, now: now, into: out) }
        }
    }

    func close() {
        lookup?.close()
        lookup = nil
    }
}
