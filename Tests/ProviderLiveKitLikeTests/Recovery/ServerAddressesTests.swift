import LiveKitProtocol
import Testing

@testable import ProviderLiveKitLike

@Suite struct ServerAddressesTests {
    private static func addresses() throws -> ServerAddresses {
        ServerAddresses(try SignalTarget(serverURL: "ws://home:1"))
    }

    private static func regions(_ list: [(String, Int64)]) -> Livekit_RegionSettings {
        .with { settings in
            settings.regions = list.map { url, distance in
                .with {
                    $0.url = url
                    $0.distance = distance
                }
            }
        }
    }

    @Test func theNearestRegionFirstThenTheOthersThenHome() throws {
        var addresses = try Self.addresses()
        addresses.rotate()
        #expect(addresses.current.host == "home")
        addresses.adopt(Self.regions([("ws://far:1", 900), ("nonsense", 1), ("ws://near:1", 5)]))
        var hosts: [String] = []
        for _ in 0..<4 {
            hosts.append(addresses.current.host)
            addresses.rotate()
        }
        #expect(hosts == ["near", "far", "home", "near"])
    }

    @Test func anAlternativeReplacesTheAddress() throws {
        var addresses = try Self.addresses()
        addresses.adopt(alternative: "")
        #expect(addresses.current.host == "home")
        addresses.adopt(alternative: "ws://other:2")
        #expect(addresses.current == (try SignalTarget(serverURL: "ws://other:2")))
        addresses.adopt(Self.regions([]))
        #expect(addresses.current.host == "other", "no news")
    }
}
