import RTCCore
import RTCWire
import Testing

@Suite struct DTLSDataTests {
    @Test(arguments: DTLSBackends.all) func messagesBothWays(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        #expect(pair.connect())
        let largest = [UInt8](repeating: 7, count: pair.client.maximumMessage)
        #expect(pair.client.send([1]) && pair.client.send(largest) && pair.server.send([2, 3]))
        pair.run(limit: .seconds(1))
        #expect(Set(pair.server.messages) == [[1], largest] && pair.client.messages == [[2, 3]])
        #expect(pair.largestDatagram <= 1200)
        #expect(!pair.client.send([]) && !pair.client.send(largest + [1]))
    }

    @Test(arguments: DTLSBackends.all) func nothingIsSentBeforeTheConnection(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        #expect(!pair.client.send([1]))
        pair.client.start()
        #expect(!pair.client.send([1]))
    }

    @Test(arguments: DTLSBackends.all) func severalRecordsInOneDatagramAreAllDelivered(_ backends: DTLSBackends) throws
    {
        let pair = try DTLSTestPair.make(backends)
        #expect(pair.connect())
        #expect(pair.client.send([1]) && pair.client.send([2]) && pair.client.send([3]))
        pair.server.receive(pair.client.takeSent().flatMap(\.self))
        #expect(pair.server.messages == [[1], [2], [3]])
    }

    @Test(arguments: DTLSBackends.all) func replayedRecordsAreDropped(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        #expect(pair.connect())
        #expect(pair.client.send([9]))
        let sent = pair.client.takeSent()
        for _ in 0..<3 { for datagram in sent { pair.server.receive(datagram) } }
        #expect(pair.server.messages == [[9]] && pair.server.state == .connected)
    }

    @Test(arguments: DTLSBackends.all) func closeNotify(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        #expect(pair.connect())
        pair.client.close(pair.now)
        #expect(pair.client.state == .closed && pair.client.actions == [.connected])
        pair.run(limit: .seconds(1))
        #expect(pair.server.state == .closed && pair.server.actions == [.connected, .closed])
        #expect(!pair.client.send([1]) && !pair.server.send([1]))
        #expect(pair.client.nextDeadline == nil && pair.server.nextDeadline == nil)
        // Closed is closed: a second time sends nothing.
        pair.server.close(pair.now)
        #expect(pair.server.takeSent().isEmpty)
    }

    @Test(arguments: DTLSBackends.all) func closingDuringTheHandshake(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        pair.client.start()
        _ = pair.client.takeSent()
        pair.client.close()
        #expect(pair.client.state == .closed && pair.client.nextDeadline == nil)
        pair.client.start()
        #expect(pair.client.takeSent().isEmpty)
    }
}
