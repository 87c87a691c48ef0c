import RTCWire
import Testing

@testable import RTCCore

@Suite struct DTLSReassemblyTests {
    private func header(
        _ sequence: UInt16, _ offset: Int, _ length: Int, of total: Int, type: TLSHandshakeType = .certificate
    ) -> DTLSHandshakeHeader {
        DTLSHandshakeHeader(
            type: type, messageLength: total, messageSequence: sequence, fragmentOffset: offset, fragmentLength: length)
    }

    private func take(
        _ reassembly: inout HandshakeReassembly, _ sequence: UInt16, _ offset: Int, _ part: [UInt8], of total: Int,
        type: TLSHandshakeType = .certificate, epoch: UInt16 = 0
    ) -> HandshakeReassembly.Outcome {
        part.withUnsafeBytes {
            reassembly.take(header(sequence, offset, part.count, of: total, type: type), $0, epoch: epoch)
        }
    }

    /// Fragments of random places, overlapping, in any order, several messages at once.
    @Test func randomFragments() throws {
        var random = CryptoTestRandom(5)
        for _ in 0..<200 {
            var reassembly = HandshakeReassembly()
            let messages = (0..<3).map { _ in
                (0..<Int(random.next() % 900)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
            var read: [[UInt8]] = []
            for _ in 0..<3000 where read.count < 3 {
                let number = Int(random.next() % 3)
                let total = messages[number].count
                let offset = max(0, Int(random.next() % UInt64(total + 150)) - 150)
                let end = min(total, offset + Int(random.next() % 300))
                let outcome = take(
                    &reassembly, UInt16(number), offset, Array(messages[number][offset..<end]), of: total)
                #expect(outcome == (number < read.count ? .repeated : .taken))
                while let message = reassembly.message {
                    #expect(message.sequence == read.count && message.type == .certificate)
                    read.append(message.body)
                    reassembly.advance()
                }
            }
            #expect(read == messages)
        }
    }

    @Test func boundsHold() {
        var reassembly = HandshakeReassembly()
        let limit = HandshakeReassembly.largestMessage
        #expect(take(&reassembly, 0, 0, [1], of: limit + 1) == .refused)
        #expect(take(&reassembly, UInt16(HandshakeReassembly.lookAhead), 0, [1], of: 10) == .refused)
        // Two of the longest don't fit, and what comes next goes before what comes later.
        #expect(take(&reassembly, 1, 0, [1], of: limit) == .taken)
        #expect(take(&reassembly, 2, 0, [1], of: limit) == .refused)
        #expect(take(&reassembly, 0, 0, [1], of: limit) == .taken)
        #expect(take(&reassembly, 1, 0, [1], of: limit) == .refused)
        #expect(take(&reassembly, 1, 0, [1], of: 100) == .taken)
        // No more gaps than are told apart: the message waits for the peer to send it again.
        var gaps = HandshakeReassembly()
        for offset in stride(from: 0, to: 4000, by: 2) { _ = take(&gaps, 0, offset, [7], of: 4000) }
        #expect(gaps.message == nil)
        #expect(take(&gaps, 0, 0, [UInt8](repeating: 7, count: 4000), of: 4000) == .taken)
        #expect(gaps.message?.body == [UInt8](repeating: 7, count: 4000))
    }

    /// Finished alone is sealed, and it alone.
    /// After a refusal the rest of its flight is not kept for the next one.
    @Test func aFlightThatIsAwaitedAnewBeginsWithItsFirst() {
        var reassembly = HandshakeReassembly(next: 1, isFromFirst: true)
        #expect(take(&reassembly, 0, 0, [9], of: 1) == .repeated)
        #expect(take(&reassembly, 3, 0, [9], of: 1) == .refused)
        #expect(take(&reassembly, 1, 0, [1], of: 2) == .taken)
        #expect(take(&reassembly, 2, 0, [9], of: 1) == .refused)
        #expect(take(&reassembly, 1, 1, [2], of: 2) == .taken)
        #expect(reassembly.message?.body == [1, 2])
        reassembly.advance()
        #expect(take(&reassembly, 3, 0, [4], of: 1) == .taken)
        #expect(take(&reassembly, 2, 0, [3], of: 1) == .taken)
    }

    @Test func epochs() {
        var reassembly = HandshakeReassembly()
        #expect(take(&reassembly, 0, 0, [1], of: 1, epoch: 1) == .refused)
        #expect(take(&reassembly, 0, 0, [1], of: 1, type: .finished) == .refused)
        #expect(take(&reassembly, 0, 0, [1], of: 1, type: .finished, epoch: 1) == .taken)
    }

    /// A forgery of another length or type blocks the genuine message no longer than until it comes again.
    @Test func contradictions() {
        var reassembly = HandshakeReassembly()
        #expect(take(&reassembly, 0, 0, [9, 9], of: 700) == .taken)
        #expect(take(&reassembly, 0, 0, [1, 2, 3], of: 3) == .taken)
        #expect(reassembly.message?.body == [1, 2, 3])
        reassembly.discard()
        #expect(reassembly.message == nil && reassembly.next == 0)
        #expect(take(&reassembly, 0, 0, [4], of: 1, type: .serverHello) == .taken)
        #expect(reassembly.message == HandshakeMessage(type: .serverHello, sequence: 0, body: [4]))
    }

    @Test(arguments: [300, 548, 1200]) func flightsAreCutToTheMTU(_ mtu: Int) throws {
        var log = HandshakeLog()
        let bodies = [0, 1, 700, 3, 2500, 0].map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: $0) }
        let flight = Flight(items: bodies.map { log.write(.certificate, $0) } + [.changeCipherSpec])
        let outbox = Outbox(capacity: 4096)
        var records = RecordLayer()
        flight.send(&records, mtu: mtu, to: DTLSWay(now: .zero, outbox: outbox, destination: .init(ipv4: 0, port: 0)))
        var reassembly = HandshakeReassembly()
        var read: [[UInt8]] = []
        for datagram in outbox.datagrams {
            #expect(datagram.length <= mtu)
            for record in DTLSDatagram.records(Array(outbox.bytes(of: datagram))) where record[0] == 22 {
                record[13...].withUnsafeBytes { body in
                    guard let header = try? DTLSHandshakeHeader(parsing: body.bytes) else { return }
                    let fragment = UnsafeRawBufferPointer(rebasing: body[12...])
                    #expect(fragment.count == header.fragmentLength)
                    #expect(reassembly.take(header, fragment, epoch: 0) == .taken)
                }
                while let message = reassembly.message {
                    read.append(message.body)
                    reassembly.advance()
                }
            }
        }
        #expect(read == bodies)
        #expect(outbox.datagrams.count <= (bodies.joined().count + 8 * 25) / (mtu - 80) + 1)
    }
}
