import CHeap
import CallBridge
import Foundation
import MediaCore
import ProviderLiveKitLike
import ProviderOpenTokLike
import RTCSim

/// Measures what this project costs beside the budget that its sources give.
struct BudgetRun: Sendable {
    var participants = 3
    var picture = PictureFormat(argument: "640x360@30")!
    /// Seconds that the call is counted for.
    var seconds = 10.0
    var srtp: SRTPOption
    var plane: MediaPlaneOption
    var says: @Sendable (String) -> Void = { _ in }

    /// Of the narrow network; a test card of the size below asks for about twice as much.
    private static let narrowRate = 300.0
    private static let narrowPicture = PictureFormat(argument: "640x360@30")!
    private static let settling = 1.0
    /// Until senders have found what the network carries.
    private static let narrowSettling = 5.0

    /// Throws `CallError`, `ClientError`, and `ExitStatus.Failure` for a call that does not come about.
    func run() async throws -> BudgetFigures {
        var figures = BudgetFigures()
        figures.loadedBytes = ProgramSize.loadedBytes() ?? 0
        figures.memoryAtStart = try Self.memory()
        let engine = MediaEngine()
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(Self.nowhere), providers: [.liveKitLike, .openTokLike])
        configuration.engine = engine
        let bridge = CallBridge(configuration: configuration)
        figures.memoryReady = try withExtendedLifetime(bridge) { try Self.memory() }
        let server = try await EmbeddedServer.start(srtp: srtp, plane: plane)
        let relay = try await CountingRelay.listen(before: server.server.port)
        do {
            try await call(&figures, server, relay, engine)
            says("a narrow network")
            try await narrow(&figures, server, engine)
            says("messages, and a shared screen")
            figures.talk = try await BudgetConversation(key: server.key, secret: server.secret)
                .measure(server: "http://127.0.0.1:\(server.server.port)", relay: relay)
        } catch {
            await close(server, relay, engine)
            throw error
        }
        await close(server, relay, engine)
        return figures
    }

    /// Of a bridge that is only made.
    private static let nowhere = CallDescriptor(
        callId: "budget", conversationId: "budget", provider: .liveKit, serviceProviderCallId: "", endpoint: "",
        credentials: .init(token: nil))

    private func close(_ server: EmbeddedServer, _ relay: CountingRelay, _ engine: MediaEngine) async {
        await relay.stop()
        await server.stop()
        await engine.shutdown()
    }

    private func venue(_ server: EmbeddedServer, port: Int) -> LiveKitLikeVenue {
        LiveKitLikeVenue(server: "ws://127.0.0.1:\(port)", key: server.key, secret: server.secret, mode: .automatic)
    }

    private func call(
        _ figures: inout BudgetFigures, _ server: EmbeddedServer, _ relay: CountingRelay, _ engine: MediaEngine
    ) async throws {
        says("a call of \(participants)")
        let heap = Int(cheap_in_use())
        figures.memoryBeforeCall = try Self.memory()
        var seen = (join: 0, memory: 0, heap: 0)
        let call = BudgetCall(
            participants: participants, picture: picture, seconds: seconds, settling: Self.settling, network: nil)
        figures.call = try await call.measure(at: venue(server, port: relay.port), engine: engine) { isOver in
            if !isOver { seen.join = relay.counts.up + relay.counts.down }
            seen.memory = max(seen.memory, ProgramSize.ownMemory() ?? 0)
            seen.heap = max(seen.heap, Int(cheap_in_use()) - heap)
        }
        (figures.joinBytes, figures.memoryInCall, figures.heapOfCall) = (seen.join, seen.memory, seen.heap)
    }

    /// Two, each behind a network that carries less than they would send.
    private func narrow(_ figures: inout BudgetFigures, _ server: EmbeddedServer, _ engine: MediaEngine) async throws {
        figures.narrowRate = Self.narrowRate
        let profile = try NetworkArgument.profile("rate=\(Int(Self.narrowRate)),delay=20,queue=300")
        let call = BudgetCall(
            participants: 2, picture: Self.narrowPicture, seconds: max(3, min(10, seconds)),
            settling: Self.narrowSettling, network: profile)
        figures.narrow = try await call.measure(at: venue(server, port: server.server.port), engine: engine)
    }

    private static func memory() throws -> Int {
        guard let bytes = ProgramSize.ownMemory() else {
            throw ExitStatus.Failure(
                status: .environment, message: "/proc/self/status says nothing of RssAnon; Linux 4.5 or later has it")
        }
        return bytes
    }
}
