import RTCWire
import Testing

@testable import RTCCore

/// Encrypted records shorter than nonce and tag: several releases of libssl end an association over one.
@Suite struct DTLSShortRecordTests {
    static let suites = TLSCipherSuite.allCases.filter { $0.authentication == .ecdsa }

    static let lengths = [0, 1, 8, 15, 16, 17, 23, 24, 25, 40]

    private func pair(_ suite: TLSCipherSuite, _ backends: DTLSBackends) throws -> DTLSTestPair {
        let (a, b) = (try DTLSCertificate.generate(), try DTLSCertificate.generate())
        return DTLSTestPair(
            client: try DTLSTestEndpoint(
                .client, a, expecting: b.fingerprint, backend: backends.client, suites: [suite]),
            server: try DTLSTestEndpoint(
                .server, b, expecting: a.fingerprint, backend: backends.server, suites: [suite]))
    }

    /// Both ways, something still arrives.
    private func expectAlive(_ pair: DTLSTestPair) {
        #expect(pair.client.state == .connected && pair.server.state == .connected)
        let (before, after) = (pair.client.messages.count, pair.server.messages.count)
        #expect(pair.client.send([1, 2, 3], pair.now) && pair.server.send([4, 5], pair.now))
        pair.run(limit: .seconds(1))
        #expect(pair.server.messages.count == after + 1 && pair.client.messages.count == before + 1)
    }

    @Test(arguments: DTLSShortRecordTests.suites, DTLSBackends.all)
    func afterTheHandshake(_ suite: TLSCipherSuite, _ backends: DTLSBackends) throws {
        let pair = try pair(suite, backends)
        #expect(pair.connect())
        for type in 20...23 as ClosedRange<UInt8> {
            for length in DTLSShortRecordTests.lengths {
                let dropped = pair.server.dropped
                pair.server.receive(DTLSForgery.record(type: type, length: length))
                pair.client.receive(DTLSForgery.record(type: type, length: length))
                // libssl drops a forgery of full length by itself, and counts nothing.
                let isCounted = length < suite.overhead || backends.server == .own
                #expect(pair.server.dropped == dropped + (isCounted ? 1 : 0))
            }
        }
        #expect(pair.client.takeSent().isEmpty && pair.server.takeSent().isEmpty, "nobody is told of a forgery")
        expectAlive(pair)
    }

    /// One datagram may hold several records, and libssl reads on behind one that is genuine.
    @Test(arguments: DTLSShortRecordTests.suites, DTLSBackends.all)
    func behindAGenuineRecord(_ suite: TLSCipherSuite, _ backends: DTLSBackends) throws {
        let pair = try pair(suite, backends)
        #expect(pair.connect())
        for length in DTLSShortRecordTests.lengths {
            #expect(pair.client.send([UInt8(length)]))
            let genuine = try #require(pair.client.takeSent().first)
            let received = pair.server.messages.count
            pair.server.receive(genuine + DTLSForgery.record(type: 23, length: length))
            // Before libssl the whole datagram is dropped.
            let isDropped = length < suite.overhead && backends.server == .libssl
            #expect(pair.server.messages.count == received + (isDropped ? 0 : 1))
        }
        expectAlive(pair)
    }

    /// Before there are keys, and between the ChangeCipherSpec and the Finished.
    @Test(arguments: DTLSShortRecordTests.suites, DTLSBackends.all)
    func duringTheHandshake(_ suite: TLSCipherSuite, _ backends: DTLSBackends) throws {
        for length in DTLSShortRecordTests.lengths {
            let pair = try pair(suite, backends)
            func forge(_ victim: DTLSTestEndpoint) {
                for type in 20...23 as ClosedRange<UInt8> {
                    victim.receive(DTLSForgery.record(type: type, length: length), pair.now)
                }
            }
            pair.server.start()
            pair.client.start()
            for toServer in [true, false, true, false] {
                let (sender, victim) = toServer ? (pair.client, pair.server) : (pair.server, pair.client)
                for datagram in sender.takeSent() {
                    for record in DTLSDatagram.records(datagram) {
                        forge(victim)
                        victim.receive(record, pair.now)
                    }
                }
                forge(victim)
            }
            expectAlive(pair)
        }
    }

    /// Of an epoch that nobody negotiated, or in the clear behind an encrypted one.
    @Test(arguments: DTLSBackends.all) func recordsOfOtherEpochs(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        pair.server.start()
        pair.client.start()
        for epoch in 2...5 as ClosedRange<UInt8> {
            pair.server.receive(DTLSForgery.record(type: 22, epoch: epoch, length: 40))
        }
        pair.server.receive(
            DTLSForgery.record(type: 22, length: 40) + DTLSForgery.record(type: 21, epoch: 0, length: 2))
        #expect(pair.server.dropped == 5)
        #expect(pair.connect())
        expectAlive(pair)
    }

    /// A Finished that overtakes the ChangeCipherSpec, and data that overtakes it, are held and opened in their turn.
    @Test(arguments: DTLSBackends.all) func earlyRecordsAreOpenedOnceThereAreKeys(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        pair.client.start()
        for datagram in pair.client.takeSent() { pair.server.receive(datagram) }
        for datagram in pair.server.takeSent() { pair.client.receive(datagram) }
        let records = pair.client.takeSent().flatMap(DTLSDatagram.records)
        let sealed = records.filter { $0[4] == 1 }
        #expect(sealed.count == 1)
        for record in sealed { pair.server.receive(record) }
        #expect(pair.server.state == .handshaking && pair.server.dropped == 0)
        for record in records where record[4] == 0 { pair.server.receive(record) }
        #expect(pair.server.state == .connected)
        let last = pair.server.takeSent().flatMap(DTLSDatagram.records)
        #expect(pair.server.send([7]))
        for record in pair.server.takeSent() + last.filter({ $0[4] == 1 }) { pair.client.receive(record) }
        for record in last where record[4] == 0 { pair.client.receive(record) }
        // The data came before the Finished: libssl takes it only behind.
        #expect(pair.client.state == .handshaking || pair.client.state == .connected)
        pair.run(limit: .seconds(5))
        expectAlive(pair)
    }

    @Test func whatIsHeldIsBounded() {
        var early = EarlyRecords()
        func hold(_ byte: UInt8, _ count: Int) -> Int {
            [UInt8](repeating: byte, count: count).withUnsafeBytes { early.hold($0) }
        }
        for number in 0..<100 as Range<UInt8> {
            #expect(hold(number, 60) == (number < EarlyRecords.limit ? 0 : 1))
        }
        #expect(early.datagrams.map { $0[0] } == [96, 97, 98, 99])
        #expect(hold(1, EarlyRecords.byteLimit + 1) == 1 && early.datagrams.count == 4)
        #expect(hold(2, EarlyRecords.byteLimit) == 4 && early.takeAll().map(\.count) == [EarlyRecords.byteLimit])
        #expect(early.datagrams.isEmpty && hold(3, EarlyRecords.byteLimit) == 0)
    }

    /// Handshakes with forged records of every length among their flights, and 30,000 behind one.
    @Test(arguments: DTLSShortRecordTests.suites, DTLSBackends.all)
    func floods(_ suite: TLSCipherSuite, _ backends: DTLSBackends) throws {
        var random = CryptoTestRandom(31)
        func forged() -> [UInt8] {
            DTLSForgery.record(
                type: UInt8(20 + random.next() % 4), sequence: UInt8(truncatingIfNeeded: random.next()),
                length: Int(random.next() % 48))
        }
        for _ in 0..<20 {
            let pair = try pair(suite, backends)
            pair.server.start()
            pair.client.start()
            for toServer in [true, false, true, false] {
                let (sender, victim) = toServer ? (pair.client, pair.server) : (pair.server, pair.client)
                for datagram in sender.takeSent() {
                    for _ in 0..<20 { victim.receive(forged()) }
                    victim.receive(datagram)
                }
            }
            expectAlive(pair)
        }
        let pair = try pair(suite, backends)
        #expect(pair.connect())
        for _ in 0..<10_000 {
            pair.server.receive(forged())
            pair.client.receive(forged() + forged())
        }
        expectAlive(pair)
    }
}
