import OpenTokSignalling
import RTCWire

/// The turn of one input: its moment, and what it brings about.
struct ClientTurn {
    let now: Instant
    var outputs: [ClientOutput] = []

    init(now: Instant) { self.now = now }

    mutating func report(_ event: ClientEvent) { outputs.append(.report(event)) }
    mutating func peer(_ action: PeerAction, _ peer: RaptorPeer) { outputs.append(.peer(action, peer)) }
    mutating func settle(_ command: CommandID?) {
        if let command { outputs.append(.settle(command, .success(.init()))) }
    }
    mutating func fail(_ command: CommandID?, _ error: ClientError) {
        if let command { outputs.append(.settle(command, .failure(error))) }
    }
}

extension Instant? {
    /// The earlier of two deadlines, each of which may be missing.
    func earlier(_ other: Instant?) -> Instant? {
        guard let self, let other else { return self ?? other }
        return Swift.min(self, other)
    }
}
