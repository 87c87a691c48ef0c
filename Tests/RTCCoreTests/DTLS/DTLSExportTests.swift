import RTCCore
import RTCWire
import Testing

@Suite struct DTLSExportTests {
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
