import RTCWire
import Testing

@testable import RTCCore

@Suite struct DTLSExportTests {
    /// Nothing keeps what was given away: it is wiped with the taker's copy.
    @Test(arguments: DTLSBackends.all) func keysAreGivenAwayOnce(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        #expect(pair.connect())
        for side in [pair.client, pair.server] {
            weak var key: SecretBytes?
            do {
                let keys = try #require(side.takeKeys())
                key = keys.written(by: .client).key
                withExtendedLifetime(keys) { #expect(key?.count == keys.profile.keyLength) }
            }
            #expect(key == nil)
            #expect(side.keys == nil && side.takeKeys() == nil)
        }
    }

    @Test(arguments: DTLSBackends.all) func exportedKeysOpenWhatTheOtherSeals(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        #expect(pair.connect())
        let client = try SRTPEndpoint(keys: try #require(pair.client.keys), role: .client)
        let server = try SRTPEndpoint(keys: try #require(pair.server.keys), role: .server, backend: .libsrtp2)
        let packet = sealablePacket(1)
        #expect(server.opened(try #require(client.sealed(packet))) == packet)
        #expect(client.opened(try #require(server.sealed(packet))) == packet)
    }
}
