import CallBridge
import MediaCore

/// Our two connections with another member of the room: one that we offer and send on, one that they offer and we receive
/// on. So nobody's offers can meet.
final class TinyNeighbour {
    /// One of our tracks on its way to them.
    struct Sending {
        let sender: MediaSession.Sender
        let copy: LocalTrack
    }

    let id: String
    let outgoing: MediaSession
    let incoming: MediaSession
    var sendings: [String: Sending] = [:]
    var isConnected = false
    /// An offer of ours has not been answered yet, and what has changed meanwhile needs another one.
    var isOffering = false
    var needsOffer = false

    init(_ id: String, _ context: ProviderContext) async throws {
        self.id = id
        outgoing = try await MediaSession(engine: context.engine, configuration: context.media)
        var configuration = context.media
        configuration.isAnswerer = true
        incoming = try await MediaSession(engine: context.engine, configuration: configuration)
        // The connection stands before anything is published.
        try await outgoing.addDataSection()
    }

    nonisolated(nonsending) func close() async {
        await outgoing.close()
        await incoming.close()
    }

    nonisolated(nonsending) func statistics() async -> SessionStatistics {
        var statistics = await outgoing.statistics()
        statistics.add(await incoming.statistics())
        return statistics
    }
}
