import Testing

@testable import ProviderLiveKitLike

@Suite(.timeLimit(.minutes(10))) struct CloudRegionsTests {
    private let cloud: SignalTarget

    init() throws {
        cloud = try SignalTarget(serverURL: "wss://project.livekit.cloud", trust: .init(rootsFile: "root.pem"))
    }

    @Test func onlyCloudHostsAreAsked() async throws {
        #expect(CloudRegions.areKnown(by: cloud))
        for url in ["ws://127.0.0.1:7880", "wss://livekit.cloud.example.org", "wss://notlivekit.cloud"] {
            let server = try SignalTarget(serverURL: url)
            #expect(!CloudRegions.areKnown(by: server))
            #expect(await CloudRegions.targets(of: server, token: "t", timeout: 60).isEmpty)
        }
    }

    @Test func theNearestComesFirstAndOneselfNotAtAll() {
        let answer = """
            {"regions": [
              {"region": "far", "url": "https://far.production.livekit.cloud", "distance": "9000"},
              {"region": "own", "url": "https://project.livekit.cloud", "distance": "1"},
              {"region": "bad", "url": "nonsense", "distance": "2"},
              {"region": "near", "url": "https://near.production.livekit.cloud", "distance": "40", "new": {}}]}
            """
        let targets = CloudRegions.targets(answer, of: cloud)
        #expect(targets.map(\.host) == ["near.production.livekit.cloud", "far.production.livekit.cloud"])
        #expect(targets.allSatisfy { $0.trust == cloud.trust && $0.address.isSecure })
        #expect(CloudRegions.targets("<html>", of: cloud).isEmpty)
    }
}
