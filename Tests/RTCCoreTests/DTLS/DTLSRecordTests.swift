import RTCWire
import Testing

@testable import RTCCore

@Suite struct DTLSRecordTests {
    private static let content = Array("DTLS 1.2 record".utf8)

    private static func cipher(_ aead: TLSCipherSuite.AEAD, encrypts: Bool) throws -> RecordCipher {
        let key = (0..<UInt8(aead.keyLength)).map(\.self)
        let iv = (0..<UInt8(aead.fixedIVLength)).map { 0x40 + $0 }
        return try key.withUnsafeBytes { key in
            try iv.withUnsafeBytes { try RecordCipher(aead, key: key, fixedIV: $0, encrypts: encrypts) }
        }
    }

    /// Made by the Python package `cryptography` from the nonces and associated data of RFC 5288 and RFC 7905.
    @Test(arguments: [
        (
            TLSCipherSuite.AEAD.aes128GCM,
            "00010000a1b2c3d4d45c6d8e7944e6961b67073c52535034dff88f7cea531c455d78290eab25bf"
        ),
        (.aes256GCM, "00010000a1b2c3d47195e6589b57ead8fcff07e30690a9fc77e90b39c845aacc88ff6b601a4a40"),
        (.chaCha20Poly1305, "3067a1eb67395e22a1412399788854f2f2dbf964e69f6e808df026486636bd"),
    ])
    func knownAnswers(_ aead: TLSCipherSuite.AEAD, _ expected: String) throws {
        let header = DTLSRecordHeader(type: .applicationData, epoch: 1, sequence: 0xa1b2_c3d4, bodyLength: 0)
        let sealer = try Self.cipher(aead, encrypts: true)
        var body = [UInt8](repeating: 0, count: Self.content.count + sealer.overhead)
        let isSealed = body.withUnsafeMutableBytes { body in
            Self.content.withUnsafeBytes { sealer.seal($0, header, into: body) }
        }
        #expect(isSealed && body.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == expected)
        let opener = try Self.cipher(aead, encrypts: false)
        #expect(open(opener, header, body) == Self.content)
        // Every bit of body and header counts.
        for position in body.indices {
            var forged = body
            forged[position] ^= 0x10
            #expect(open(opener, header, forged) == nil)
        }
        for changed in [
            DTLSRecordHeader(type: .alert, epoch: 1, sequence: 0xa1b2_c3d4, bodyLength: 0),
            DTLSRecordHeader(type: .applicationData, epoch: 2, sequence: 0xa1b2_c3d4, bodyLength: 0),
            DTLSRecordHeader(type: .applicationData, epoch: 1, sequence: 0xa1b2_c3d5, bodyLength: 0),
        ] { #expect(open(opener, changed, body) == nil) }
        for length in 0..<body.count { #expect(open(opener, header, Array(body[..<length])) == nil) }
    }

    private func open(_ cipher: RecordCipher, _ header: DTLSRecordHeader, _ body: [UInt8]) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: body.count)
        let count = output.withUnsafeMutableBytes { target in
            body.withUnsafeBytes { cipher.open($0, header, into: target) }
        }
        return count.map { Array(output[..<$0]) }
    }

    private func layers(_ aead: TLSCipherSuite.AEAD) throws -> (writer: RecordLayer, reader: RecordLayer) {
        let keys = RecordKeys(
            writing: try Self.cipher(aead, encrypts: true), reading: try Self.cipher(aead, encrypts: false))
        var (writer, reader) = (RecordLayer(), RecordLayer())
        writer.use(keys)
        reader.use(keys)
        return (writer, reader)
    }

    private func write(_ layer: inout RecordLayer, epoch: UInt16 = 1, _ content: [UInt8]) -> [UInt8]? {
        var target = [UInt8](repeating: 0, count: 1200)
        let length = target.withUnsafeMutableBytes { target in
            content.withUnsafeBytes { layer.write(.applicationData, epoch: epoch, $0, into: target) }
        }
        return length.map { Array(target[..<$0]) }
    }

    @Test(arguments: TLSCipherSuite.AEAD.allCases) func recordsOpenOnce(_ aead: TLSCipherSuite.AEAD) throws {
        var (writer, reader) = try layers(aead)
        var nonces: Set<[UInt8]> = []
        for number in 0..<200 {
            let content = [UInt8](repeating: UInt8(number), count: number)
            let record = try #require(write(&writer, content))
            #expect(nonces.insert(Array(record[3..<11])).inserted, "an epoch has each number once")
            for isReplay in [false, true] {
                let opened = read(&reader, record)
                #expect(opened == (isReplay ? nil : content))
            }
        }
    }

    private func read(_ layer: inout RecordLayer, _ record: [UInt8]) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: record.count)
        return record.withUnsafeBytes { bytes -> [UInt8]? in
            guard let record = DTLSRecords.first(of: bytes) else { return nil }
            let opened = output.withUnsafeMutableBytes { layer.open(record.header, record.body, into: $0) }
            guard case .content(let count) = opened else { return nil }
            return Array(output[..<count])
        }
    }

    @Test func nothingIsSealedWithoutKeysOrRoom() throws {
        var layer = RecordLayer()
        #expect(write(&layer, [1]) == nil)
        #expect(write(&layer, epoch: 0, [1])?.count == 14)
        var (writer, _) = try layers(.aes128GCM)
        #expect(write(&writer, [UInt8](repeating: 0, count: 1200 - 37))?.count == 1200)
        #expect(write(&writer, [UInt8](repeating: 0, count: 1200 - 36)) == nil)
        writer.removeKeys()
        #expect(write(&writer, [1]) == nil)
    }

    /// Against a set of all numbers.
    @Test func replayWindow() {
        var window = RecordReplayWindow()
        var seen: Set<UInt64> = []
        var highest: UInt64 = 0
        var random = CryptoTestRandom(3)
        for _ in 0..<50_000 {
            let step = random.next() % 100
            let number =
                step < 90 ? highest &+ 40 &- min(random.next() % 120, highest &+ 40) : highest + random.next() % 300
            let isOld = !seen.isEmpty && number + RecordReplayWindow.reach <= highest
            #expect(window.isFresh(number) == (!isOld && !seen.contains(number)))
            guard window.isFresh(number) else { continue }
            window.insert(number)
            seen.insert(number)
            highest = max(highest, number)
        }
        window.insert(DTLSRecordHeader.lastSequence)
        #expect(!window.isFresh(DTLSRecordHeader.lastSequence) && !window.isFresh(highest))
        #expect(
            window.isFresh(DTLSRecordHeader.lastSequence - 63) && !window.isFresh(DTLSRecordHeader.lastSequence - 64))
    }
}
