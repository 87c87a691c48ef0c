import CallBridge
import Logging
import MediaCore
import OpenTokSignalling
import Testing

@testable import ProviderOpenTokLike

@Suite struct SessionServerTests {
    private static let session = OpenTokSessionID(project: "12345", mediaMode: .routed, createdAt: 0, random: 1).text

    private func connect(
        endpoint: String = "http://127.0.0.1:1", session: String = Self.session, token: String? = "T1==x"
    ) async -> CallError? {
        let engine = MediaEngine()
        let context = ProviderContext(
            engine: engine, media: .init(), subscribesAutomatically: true, logger: Logger(label: "test"))
        let descriptor = CallDescriptor(
            callId: "c", conversationId: "c", provider: .openTok, serviceProviderCallId: session, endpoint: endpoint,
            credentials: .init(token: token))
        var result: CallError?
        do { _ = try await OpenTokLikeProvider().connect(descriptor, context: context) } catch {
            result = error as? CallError
        }
        await engine.shutdown()
        return result
    }

    @Test func whatCantBeUsedIsNamed() async throws {
        let withoutToken = await connect(token: nil)
        #expect(withoutToken?.fault == .configuration && withoutToken?.message.contains("token") == true)
        let badSession = await connect(session: "room")
        #expect(badSession?.code == .invalidArgument && badSession?.message.contains("room") == true)
        let badURL = await connect(endpoint: "ftp://host")
        #expect(badURL?.code == .invalidArgument && badURL?.message.contains("ftp://host") == true)
        let badToken = await connect(token: "T1==x\n")
        #expect(badToken?.code == .invalidArgument && badToken?.message.contains("T1==") == false)
    }

    @Test func aServerThatIsNotThereIsUnreachable() async {
        let error = await connect()
        #expect(error?.code == .unreachable && error?.fault == .network)
        #expect(error?.message.contains("127.0.0.1:1") == true)
    }
}
