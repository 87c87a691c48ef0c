import RTCWire
import Testing

@testable import RTCCore

/// Attacks on our own backend from every state of the handshake: before each record that is delivered, to both sides.
@Suite struct DTLSStateTests {
    /// Delivers the records of a handshake one by one, and calls `body` before each and after the last. The clock
    /// stands still: nothing is sent again.
    @discardableResult
    private func walk(
        _ pair: DTLSTestPair, _ body: (_ step: Int, _ next: (toServer: Bool, record: [UInt8])?) throws -> Void
    ) rethrows -> Int {
        var step = 0
        pair.server.start()
        pair.client.start()
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for toServer in [true, false] {
                let (sender, receiver) = toServer ? (pair.client, pair.server) : (pair.server, pair.client)
                for record in sender.takeSent().flatMap(DTLSDatagram.records) {
                    isQuiet = false
                    try body(step, (toServer, record))
                    receiver.receive(record, pair.now)
                    step += 1
                }
            }
        }
        try body(step, nil)
        return step
    }

    /// What nobody should even notice.
    private func noise(_ random: inout CryptoTestRandom, next: [UInt8]?) -> [[UInt8]] {
        var datagrams: [[UInt8]] = []
        for length in DTLSShortRecordTests.lengths {
            for type in 20...23 as ClosedRange<UInt8> {
                datagrams.append(
                    DTLSForgery.record(type: type, sequence: UInt8(truncatingIfNeeded: random.next()), length: length))
            }
        }
        // Fatal alerts, close_notify, data and ChangeCipherSpec in the clear; epochs that nobody has; other versions.
        for (level, description) in [(2, 40), (2, 0), (1, 0), (2, 51)] as [(UInt8, UInt8)] {
            datagrams.append([21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 9, 9, 0, 2, level, description])
        }
        datagrams.append([20, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 9, 9, 0, 1, 1])
        datagrams.append([23, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 9, 9, 0, 3, 1, 2, 3])
        for epoch in 2...4 as ClosedRange<UInt8> {
            datagrams.append(DTLSForgery.record(type: 22, epoch: epoch, length: 40))
        }
        datagrams.append([22, 0x03, 0x03, 0, 0, 0, 0, 0, 0, 9, 9, 0, 1, 1])
        // Handshake messages that can't be read or come out of turn, in the place of the next ones.
        for type in [0, 1, 2, 3, 4, 11, 12, 13, 14, 15, 16, 20, 24] as [UInt8] {
            for sequence in 0...6 as ClosedRange<UInt8> where type != 14 {
                let body: [UInt8] = [0xff, 0xff, 0xff]
                datagrams.append(
                    [22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 9, 9, 0, 15, type, 0, 0, 3, 0, sequence, 0, 0, 0, 0, 0, 3] + body
                )
            }
        }
        if let next {
            for length in stride(from: 0, to: next.count, by: 7) { datagrams.append(Array(next[..<length])) }
        }
        return datagrams
    }

    @Test(arguments: DTLSShortRecordTests.suites) func noiseInEveryState(_ suite: TLSCipherSuite) throws {
        let (a, b) = try DTLSTestPair.certificates.get()
        let pair = DTLSTestPair(
            client: try DTLSTestEndpoint(.client, a, expecting: b.fingerprint, suites: [suite]),
            server: try DTLSTestEndpoint(.server, b, expecting: a.fingerprint, suites: [suite]))
        var random = CryptoTestRandom(41)
        let steps = walk(pair) { _, next in
            for datagram in noise(&random, next: next?.record) {
                let sent = (pair.client.outbox.datagrams.count, pair.server.outbox.datagrams.count)
                pair.client.receive(datagram, pair.now)
                pair.server.receive(datagram, pair.now)
                #expect(sent == (pair.client.outbox.datagrams.count, pair.server.outbox.datagrams.count))
            }
        }
        #expect(steps == 13)
        // Early records were pushed out, and are sent again.
        #expect(pair.connect(limit: .seconds(5)))
        #expect(pair.client.keys != nil && pair.client.keys == pair.server.keys)
        #expect(pair.client.dropped > 1000 && pair.server.dropped > 1000)
    }

    /// Genuine records, changed, cut, or sent to their sender, in every state and long after: the handshake ends well,
    /// nobody connects with other keys, and what is connected stays so.
    @Test func mutationsInEveryState() throws {
        var random = CryptoTestRandom(43)
        for run in 0..<600 {
            let pair = try DTLSTestPair.make(seed: UInt64(run))
            let target = Int(random.next() % 14)
            var genuine: [(toServer: Bool, record: [UInt8])] = []
            walk(pair) { step, next in
                if let next { genuine.append(next) }
                guard step == target, let victim = genuine.randomElement(using: &random) else { return }
                for _ in 0..<(1 + random.next() % 4) {
                    let mutated = mutate(victim.record, &random)
                    let isReflected = random.next() % 8 == 0
                    (victim.toServer != isReflected ? pair.server : pair.client).receive(mutated, pair.now)
                }
            }
            #expect(pair.connect(), "run \(run), step \(target)")
            for side in [pair.client, pair.server] {
                #expect((side.state == .connected) == (side.keys != nil))
            }
            if pair.client.state == .connected, pair.server.state == .connected {
                #expect(pair.client.keys == pair.server.keys)
                #expect(pair.client.send([7], pair.now))
                pair.run(limit: .seconds(1))
                #expect(pair.server.messages == [[7]])
            }
            #expect(pair.largestDatagram <= 1200)
        }
    }

    private func mutate(_ record: [UInt8], _ random: inout CryptoTestRandom) -> [UInt8] {
        var bytes = record
        for _ in 0...(random.next() % 3) {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        if random.next() % 4 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
        return bytes
    }

    /// A fatal alert in the clear ends nothing at once; where nothing more comes it explains the end.
    @Test func alertsInTheClear() throws {
        let client = try DTLSTestEndpoint(.client, DTLSTestPair.certificates.get().0)
        client.start()
        client.receive([21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 9, 9, 0, 2, 2, 40])
        #expect(client.state == .handshaking)
        client.advance(.zero + .milliseconds(4999))
        #expect(client.state == .handshaking)
        client.advance(.zero + .milliseconds(5000))
        #expect(client.state == .failed(.alert(40)) && client.nextDeadline == nil)
    }

    /// A server that asks for a cookie is heard where it asks again: with the same hello and the cookie, once.
    @Test func helloVerifyRequest() throws {
        let pair = try DTLSTestPair.make()
        pair.client.start()
        let first = try hello(pair.client.takeSent())
        var request = DTLSHelloVerifyRequest(cookie: [1, 2, 3]).encoded
        request = [3, 0, 0, UInt8(request.count), 0, 0, 0, 0, 0, 0, 0, UInt8(request.count)] + request
        let record = [22, 0xfe, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(request.count)] + request
        pair.client.receive(record)
        #expect(try hello(pair.client.takeSent()) == first)
        pair.client.receive(record)
        var second = try hello(pair.client.takeSent())
        #expect(second.cookie == [1, 2, 3])
        second.cookie = []
        #expect(second == first)
        pair.client.receive(record)
        #expect(pair.client.takeSent().isEmpty)
    }

    private func hello(_ sent: [[UInt8]]) throws -> TLSClientHello {
        let datagram = try #require(sent.first)
        #expect(sent.count == 1)
        return try TLSClientHello(parsing: Array(datagram[25...]))
    }

    /// A connected client that sends a new ClientHello, in the clear or sealed, gets no second handshake.
    @Test func nobodyRenegotiates() throws {
        let pair = try DTLSTestPair.make()
        #expect(pair.connect())
        let keys = pair.server.keys
        let other = try DTLSTestPair.make()
        other.client.start()
        for datagram in other.client.takeSent() { pair.server.receive(datagram, pair.now) }
        #expect(pair.server.takeSent().isEmpty && pair.server.keys == keys && pair.server.nextDeadline == nil)
    }
}
