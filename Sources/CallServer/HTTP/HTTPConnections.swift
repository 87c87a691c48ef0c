import Logging
import NIOConcurrencyHelpers
import NIOCore

/// The open connections of an `HTTPServer`: their number is bounded, who asks for nothing makes room for who does, and they
/// can all be closed.
final class HTTPConnections: Sendable {
    /// What a connection is doing.
    enum Stage: Sendable {
        /// No whole request has come on it yet.
        case fresh
        /// A request is being answered, or the connection is a WebSocket or a stream.
        case busy
        /// It rests between two requests.
        case idle
    }

    private struct Entry {
        var channel: any Channel
        var address: String
        /// Counts the connections: the smaller the older.
        var number: UInt64
        var stage = Stage.fresh
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var fresh: [String: Int] = [:]
        var number: UInt64 = 0
        var isClosing = false
        /// Connections that had to make room.
        var displaced = 0

        mutating func remove(_ key: ObjectIdentifier) {
            guard let entry = entries.removeValue(forKey: key) else { return }
            if entry.stage == .fresh { countFresh(entry.address, -1) }
        }

        mutating func countFresh(_ address: String, _ change: Int) {
            let count = (fresh[address] ?? 0) + change
            fresh[address] = count > 0 ? count : nil
        }

        /// Takes the oldest that fits out.
        mutating func displace(where fits: (Entry) -> Bool) -> (any Channel)? {
            guard let oldest = entries.filter({ fits($0.value) }).min(by: { $0.value.number < $1.value.number })
            else { return nil }
            remove(oldest.key)
            displaced += 1
            return oldest.value.channel
        }
    }

    private let limit: Int
    private let freshPerAddress: Int
    private let logger: Logger
    private let state = NIOLockedValueBox(State())

    init(limits: HTTPLimits, logger: Logger) {
        limit = limits.connections
        freshPerAddress = limits.freshPerAddress
        self.logger = logger
    }

    /// Takes note of a connection until it is closed. False where all others are in use, or the server is closing.
    func admit(_ channel: any Channel) -> Bool {
        let key = ObjectIdentifier(channel)
        let address = channel.remoteAddress?.ipAddress ?? ""
        let (isAdmitted, displaced, count) = state.withLockedValue { state -> (Bool, (any Channel)?, Int) in
            guard !state.isClosing else { return (false, nil, 0) }
            var displaced: (any Channel)?
            if state.fresh[address] ?? 0 >= freshPerAddress {
                displaced = state.displace { $0.stage == .fresh && $0.address == address }
            } else if state.entries.count >= limit {
                displaced = state.displace { $0.stage == .fresh } ?? state.displace { $0.stage == .idle }
            }
            guard state.entries.count < limit else { return (false, displaced, state.displaced) }
            state.number += 1
            state.entries[key] = Entry(channel: channel, address: address, number: state.number)
            state.countFresh(address, 1)
            return (true, displaced, state.displaced)
        }
        if let displaced { displace(displaced, count) }
        guard isAdmitted else { return false }
        channel.closeFuture.whenComplete { [self] _ in state.withLockedValue { $0.remove(key) } }
        return true
    }

    /// Says so of the first one, and then of each hundredth.
    private func displace(_ channel: any Channel, _ count: Int) {
        channel.close(promise: nil)
        guard count % 100 == 1 else { return }
        logger.notice(
            "connection closed to make room: it asked for nothing",
            metadata: [
                "remote": "\(channel.remoteAddress.map(String.init(describing:)) ?? "unknown")",
                "displaced": "\(count)",
            ])
    }

    /// A connection has gone on to another stage.
    func note(_ channel: any Channel, _ stage: Stage) {
        let key = ObjectIdentifier(channel)
        state.withLockedValue { state in
            guard let entry = state.entries[key], entry.stage != stage else { return }
            if entry.stage == .fresh { state.countFresh(entry.address, -1) }
            state.entries[key]?.stage = stage
        }
    }

    var count: Int { state.withLockedValue { $0.entries.count } }

    /// Asks all to close, insists after `timeout`, and returns when all are closed.
    func closeAll(within timeout: TimeAmount) async {
        let channels = state.withLockedValue { state in
            state.isClosing = true
            return state.entries.values.map(\.channel)
        }
        for channel in channels {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            let insist = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in insist.cancel() }
        }
        for channel in channels { try? await channel.closeFuture.get() }
    }
}
