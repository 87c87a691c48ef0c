import CallBridge
import Logging
import OpenTokClient
import OpenTokSignalling
import Testing

@testable import MediaCore
@testable import ProviderOpenTokLike

@Suite struct PeerConnectionsTests {
    /// Whoever asks while a connection is being closed hears of it all the same, and once.
    @Test(.timeLimit(.minutes(1))) func whatIsBeingClosedCounts() async throws {
        let engine = MediaEngine()
        let context = ProviderContext(
            engine: engine, media: .init(), subscribesAutomatically: true, logger: Logger(label: "test"))
        let peers = PeerConnections(context, host: "127.0.0.1")
        for number in 1...30 {
            let peer = RaptorPeer.subscriber(stream: "s", id: "\(number)")
            peers.perform(.openSubscriber([]), peer)
            while await peers.statistics().connections.count < number { await Task.yield() }
            peers.perform(.close, peer)
            for _ in 0..<20 { #expect(await peers.statistics().connections.count == number) }
        }
        await peers.close()
        #expect(await peers.statistics().connections.count == 30)
        await engine.shutdown()
    }
}
