import RTCWire
import Testing

@testable import RTCCore

@Suite struct DTLSHostileTests {
    /// Every datagram of a handshake, in the order of sending.
    private func recordedFlights(_ backends: DTLSBackends) throws -> [(toServer: Bool, bytes: [UInt8])] {
        let pair = try DTLSTestPair.make(backends)
        var flights: [(Bool, [UInt8])] = []
        pair.client.start()
        for toServer in [true, false, true, false] {
            for datagram in (toServer ? pair.client : pair.server).takeSent() {
                flights.append((toServer, datagram))
                (toServer ? pair.server : pair.client).receive(datagram)
            }
        }
        #expect(pair.client.state == .connected && pair.server.state == .connected)
        return flights
    }

    @Test(arguments: DTLSBackends.all) func garbageBeforeDuringAndAfterTheHandshake(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        var random = CryptoTestRandom(17)
        func garbage() -> [UInt8] {
            var bytes = (0..<Int(random.next() % 300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if !bytes.isEmpty { bytes[0] = UInt8(20 + random.next() % 44) }
            return bytes
        }
        func flood() {
            for _ in 0..<500 {
                pair.client.receive(garbage(), pair.now)
                pair.server.receive(garbage(), pair.now)
            }
        }
        flood()
        pair.server.start()
        pair.client.start()
        flood()
        #expect(pair.connect())
        flood()
        #expect(pair.client.state == .connected && pair.server.state == .connected)
        #expect(pair.client.send([5], pair.now))
        pair.run(limit: .seconds(1))
        #expect(pair.server.messages == [[5]])
        #expect(pair.server.dropped > 1000)
    }

    /// Records that look right but can't be opened must not end an association.
    @Test(arguments: DTLSBackends.all) func forgedRecordsAfterTheHandshake(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        #expect(pair.connect())
        #expect(pair.client.send(Array(0..<100)))
        let genuine = try #require(pair.client.takeSent().first)
        for position in genuine.indices {
            var forged = genuine
            forged[position] ^= 0x41
            pair.server.receive(forged)
        }
        for type in 20...23 as ClosedRange<UInt8> {
            for epoch in 0...2 as ClosedRange<UInt8> {
                // A fatal alert, a ChangeCipherSpec, a handshake message in the clear or of an unknown epoch.
                pair.server.receive([type, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 9, 9, 0, 2, 2, 40])
            }
        }
        #expect(pair.server.state == .connected && pair.server.messages.isEmpty)
        pair.server.receive(genuine)
        #expect(pair.server.messages == [Array(0..<100)])
    }

    /// Mutated flights may fail a handshake, never anything else; a second pair on the same thread is not touched.
    @Test(arguments: DTLSBackends.all) func mutatedFlights(_ backends: DTLSBackends) throws {
        let bystander = try DTLSTestPair.make(backends)
        bystander.server.start()
        bystander.client.start()
        let (a, b) = try DTLSTestPair.certificates.get()
        var random = CryptoTestRandom(23)
        for (toServer, bytes) in try recordedFlights(backends) {
            for _ in 0..<60 {
                var mutated = bytes
                for _ in 0...(random.next() % 3) {
                    mutated[Int(random.next() % UInt64(mutated.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                if random.next() % 4 == 0 { mutated.removeLast(Int(random.next() % UInt64(mutated.count))) }
                let victim = try DTLSTestEndpoint(
                    toServer ? .server : .client, toServer ? b : a, expecting: (toServer ? a : b).fingerprint,
                    backend: toServer ? backends.server : backends.client)
                victim.start()
                victim.receive(mutated)
                victim.receive(bytes)
                victim.receive(mutated)
                victim.advance(.zero + .milliseconds(50))
                #expect(victim.state != .connected)
                for datagram in victim.takeSent() { #expect(datagram.count <= 1200) }
            }
        }
        #expect(bystander.connect())
    }

    /// Encrypted records before there are keys: a few are held, none by libssl, and the handshake still ends well.
    @Test(arguments: DTLSBackends.all) func earlyEncryptedRecords(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        pair.server.start()
        pair.client.start()
        for number in 0..<200 as Range<UInt8> {
            let record = DTLSForgery.record(type: 22, sequence: number, length: 40)
            pair.server.receive(record)
            pair.client.receive(record)
        }
        #expect(pair.server.dropped == 200 - EarlyRecords.limit && pair.client.dropped == 200 - EarlyRecords.limit)
        #expect(pair.connect())
    }

    /// A ClientHello that spans datagrams, as post-quantum key shares make it, in order and in reverse.
    @Test(arguments: [false, true], DTLSBackends.all)
    func fragmentedClientHello(_ reversed: Bool, _ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        pair.client.start()
        let hello = try #require(pair.client.takeSent().first)
        let fragments = DTLSFragments.split(hello, size: 40)
        #expect(fragments.count > 2)
        for fragment in reversed ? fragments.reversed() : fragments { pair.server.receive(fragment) }
        #expect(!pair.server.outbox.isEmpty, "the server answers")
        pair.run(limit: .seconds(1))
        #expect(pair.client.state == .connected && pair.server.state == .connected)
    }

    /// Message lengths that nobody would reassemble.
    @Test(arguments: DTLSBackends.all) func hugeHandshakeMessages(_ backends: DTLSBackends) throws {
        let pair = try DTLSTestPair.make(backends)
        pair.server.start()
        for sequence in 0..<50 as Range<UInt8> {
            // ClientHello of 16 MB less one byte, fragment of four bytes at offset 0.
            pair.server.receive(
                [22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, sequence, 0, 16]
                    + [1, 0xff, 0xff, 0xff, 0, sequence, 0, 0, 0, 0, 0, 4] + [1, 2, 3, 4])
        }
        #expect(pair.server.state != .connected)
    }
}

/// Cuts the one handshake message of a datagram into fragments (RFC 6347 section 4.2.3).
enum DTLSFragments {
    static func split(_ datagram: [UInt8], size: Int) -> [[UInt8]] {
        let message = Array(datagram[13...])
        let body = Array(message[12...])
        return stride(from: 0, to: body.count, by: size).enumerated().map { number, offset in
            let part = Array(body[offset..<min(offset + size, body.count)])
            let header = Array(message[..<6]) + [0, UInt8(offset >> 8), UInt8(offset & 255), 0, 0, UInt8(part.count)]
            let length = header.count + part.count
            return Array(datagram[..<10]) + [UInt8(number), UInt8(length >> 8), UInt8(length & 255)] + header + part
        }
    }
}
