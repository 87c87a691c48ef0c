import Logging
import NIOCore
import RTCTransport
import Synchronization

/// Tells the sessions of an engine which addresses this machine has, whenever that changes.
final class AddressFollower: Sendable {
    private struct State {
        var isWatching = false
        /// Until they are closed. Not weak: each reference to an object that has weak ones is counted in another place of the
        /// memory.
        var members: [ObjectIdentifier: SocketSession] = [:]
    }

    private let state = Mutex(State())

    /// Tells a session from now on. On its loop, which is the one that watches where nobody does yet.
    func add(_ session: SocketSession, on loop: DatagramLoop, logger: Logger) {
        let begins = state.withLock { state in
            state.members[ObjectIdentifier(session)] = session
            defer { state.isWatching = true }
            return !state.isWatching
        }
        guard begins else { return }
        do throws(IOError) {
            try AddressWatch(on: loop) { [weak self] in
                if let present = InterfaceAddresses.current() { self?.changed(present) }
            }
        } catch {
            // Sends that fail, and silence, still have sessions look.
            logger.debug("changes of this machine's addresses are not told: \(error)")
        }
    }

    func remove(_ session: SocketSession) {
        state.withLock { _ = $0.members.removeValue(forKey: ObjectIdentifier(session)) }
    }

    /// This machine has these addresses now.
    func changed(_ present: InterfaceAddresses) {
        let sessions = state.withLock { Array($0.members.values) }
        for session in sessions { session.eventLoop.execute { session.follow(present) } }
    }
}
