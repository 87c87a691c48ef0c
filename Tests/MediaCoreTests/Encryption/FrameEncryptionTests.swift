import RTCWire
import Testing

@testable import MediaCore

/// LiveKit's frame encryption. The vectors were made with Python's hashlib and cryptography from the documented layout.
@Suite struct FrameEncryptionTests {
    private static let passphrase = "correct horse"

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private func open(
        _ frame: [UInt8], _ encryption: FrameEncryption, codec: FrameCodec = .opus, participant: String = "ada"
    ) -> FrameOpener.Result {
        let opener = FrameOpener(encryption, participant: participant, codec: codec)
        return frame.withUnsafeBytes { opener.open($0) }
    }

    /// Keys without the cost of a passphrase.
    private func quick(_ key: String, _ change: (inout FrameEncryption.Options) -> Void = { _ in }) -> FrameEncryption {
        var options = FrameEncryption.Options()
        options.derivation = .hkdf
        change(&options)
        return FrameEncryption(sharedKey: key, options: options)
    }

    @Test func derivedKeys() throws {
        var options = FrameEncryption.Options()
        let slot = try #require(FrameKeySlot(material: Array(Self.passphrase.utf8), options: options))
        #expect(slot.key == bytes("834e90983b671b2fa23af805580e4b43"))
        let next = try #require(slot.ratcheted(options))
        #expect(
            next.material == bytes("834e90983b671b2fa23af805580e4b438d4d35ac9e6d8b14005c77f674fbde62"))
        #expect(next.key == bytes("349832909d8c8c4fc80e2155d92189f6"))
        options.derivation = .hkdf
        let other = try #require(FrameKeySlot(material: Array(Self.passphrase.utf8), options: options))
        #expect(other.key == bytes("b743ff98f111bb64a53ee50636813e79"))
        #expect(
            other.ratcheted(options)?.material
                == bytes("b743ff98f111bb64a53ee50636813e79223681c9fb8800cb629029e5a33e2beb"))
    }

    @Test func framesSealedByAnotherImplementation() throws {
        let encryption = FrameEncryption(sharedKey: Self.passphrase)
        encryption.setSharedKey(Array(Self.passphrase.utf8), index: 3)
        let opus = bytes(
            "78dfd8921b89ef63647677e19bf0bb1372054a38903d83a38eee423d7bcedf5bbe000102030405060708090a0b0c03")
        #expect(open(opus, encryption) == .opened([0x78] + Array("opus frame bytes".utf8)))
        let key = bytes(
            "1002009d012a4001b400dbcd9e48cffb70687effba506586e288fd39583ebbf8ffa537000102030405060708090a0b0c00")
        #expect(
            open(key, encryption, codec: .vp8) == .opened(bytes("1002009d012a4001b400") + Array("key frame".utf8)))
        let delta = bytes(
            "110200d4cd8b1cc8a977777a7fa4f64d4715c6b31dbc2d9ca3c552e8ca7e000102030405060708090a0b0c00")
        #expect(open(delta, encryption, codec: .vp8) == .opened(bytes("110200") + Array("delta frame".utf8)))
    }

    @Test func whatIsSealedIsOpened() throws {
        let encryption = quick("k")
        var random = TraceRandom(seed: 9)
        let sealer = FrameSealer(encryption, ssrc: 0x0102_0304)
        var nonces = Set<[UInt8]>()
        for index in 0..<300 {
            let length = 1 + Int(random.float(0, 400))
            let frame = (0..<length).map { _ in UInt8(random.float(0, 255)) }
            let sealed = try #require(sealer.seal(frame, codec: .opus, timestamp: 960 &* UInt32(index)))
            #expect(sealed.count == frame.count + 30)
            #expect(sealed[0] == frame[0] && sealed.suffix(2) == [12, 0])
            #expect(Array(sealed.suffix(14).prefix(4)) == [1, 2, 3, 4])
            nonces.insert(Array(sealed.suffix(14).prefix(12)))
            #expect(open(sealed, encryption) == .opened(frame))
        }
        #expect(nonces.count == 300)
        #expect(sealer.seal([], codec: .vp8, timestamp: 0) == [])
        #expect(open([], encryption) == .opened([]))
    }

    @Test func anythingAlteredFails() throws {
        let encryption = quick("k")
        let sealer = FrameSealer(encryption, ssrc: 1)
        let frame = [UInt8]("\u{10}\u{2}\u{0}0123456789abcdef".utf8)
        let sealed = try #require(sealer.seal(frame, codec: .vp8, timestamp: 5))
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 1
            let result = open(altered, encryption, codec: .vp8)
            #expect(result == .failed || result == .noKey, "byte \(index)")
        }
        for length in 1..<sealed.count {
            // What is last now may read as a nonce's length and a key's index.
            let result = open(Array(sealed.prefix(length)), encryption, codec: .vp8)
            #expect(result == .failed || result == .noKey, "\(length) bytes")
        }
        #expect(open(sealed, quick("other"), codec: .vp8) == .failed)
        #expect(open(sealed, FrameEncryption(), codec: .vp8) == .noKey)
        #expect(FrameSealer(FrameEncryption(), ssrc: 1).seal(frame, codec: .vp8, timestamp: 5) == nil)
    }

    @Test func keysByIndexAndParticipant() throws {
        let sender = quick("zero")
        sender.setSharedKey(Array("one".utf8), index: 1)
        sender.setSendingKeyIndex(1)
        let sealed = try #require(FrameSealer(sender, ssrc: 1).seal([7, 8, 9], codec: .opus, timestamp: 0))
        #expect(sealed.last == 1)
        let receiver = quick("zero")
        #expect(open(sealed, receiver) == .noKey)
        receiver.setKey(Array("one".utf8), index: 1, participant: "ada")
        #expect(open(sealed, receiver) == .opened([7, 8, 9]))
        #expect(open(sealed, receiver, participant: "bob") == .noKey)
        receiver.setSharedKey(Array("one".utf8), index: 1)
        #expect(open(sealed, receiver, participant: "bob") == .opened([7, 8, 9]))
        // An index beyond the ring is nobody's.
        var far = sealed
        far[far.count - 1] = 200
        #expect(open(far, receiver) == .noKey)
    }

    @Test func theReceiverFollowsARatchet() throws {
        let sender = quick("start")
        let receiver = quick("start") { $0.ratchetWindow = 4 }
        let before = try #require(FrameSealer(sender, ssrc: 1).seal([7, 8], codec: .opus, timestamp: 0))
        for _ in 0..<3 { #expect(sender.ratchetSendingKey()?.count == 32) }
        let sealed = try #require(FrameSealer(sender, ssrc: 1).seal([7, 8, 9], codec: .opus, timestamp: 0))
        let opener = FrameOpener(receiver, participant: "ada", codec: .opus)
        #expect(sealed.withUnsafeBytes { opener.open($0) } == .failed)
        let now = Instant.zero + .seconds(5)
        #expect(opener.maySearch(now: now) && !opener.maySearch(now: now + .milliseconds(900)))
        #expect(opener.search(sealed)() == [7, 8, 9])
        #expect(sealed.withUnsafeBytes { opener.open($0) } == .opened([7, 8, 9]))
        // The others' keys stay where they are.
        #expect(open(before, receiver, participant: "bob") == .opened([7, 8]))
        #expect(open(before, receiver) == .failed)
        let short = quick("start") { $0.ratchetWindow = 2 }
        #expect(FrameOpener(short, participant: "ada", codec: .opus).search(sealed)() == nil)
        #expect(!FrameOpener(quick("start"), participant: "ada", codec: .opus).maySearch(now: now))
    }

    @Test func afterTooManyFailuresNothingIsTriedUntilAKeyIsSet() throws {
        let receiver = quick("wrong") { $0.failureTolerance = 2 }
        let sealed = try #require(FrameSealer(quick("right"), ssrc: 1).seal([7, 8], codec: .opus, timestamp: 0))
        #expect((0..<4).map { _ in open(sealed, receiver) } == [.failed, .failed, .failed, .noKey])
        receiver.setSharedKey(Array("right".utf8))
        #expect(open(sealed, receiver) == .opened([7, 8]))
    }

    @Test func fillersOfTheServerNeedNoKey() throws {
        let encryption = FrameEncryption()
        let trailer = Array("0123456789abcdef".utf8)
        let silence = [0xf8, 0xff, 0xfe] + [UInt8](repeating: 0, count: 77)
        #expect(open(silence + trailer, encryption) == .failed)
        encryption.setInjectionTrailer(trailer)
        #expect(open(silence + trailer, encryption) == .injected(silence))
        let black = bytes("1002009d012a0800080047088585888584880202000c0d6000feffab5080")
        #expect(open(black + trailer, encryption, codec: .vp8) == .injected(black))
        // Whoever knows the trailer can still not show a picture or play a sound of his own.
        #expect(open([0xf8, 0xff, 0xfe, 1] + trailer, encryption) == .failed)
        let large = bytes("1002009d012a4001b40047088585888584880202000c0d6000feffab5080")
        #expect(open(large + trailer, encryption, codec: .vp8) == .failed)
    }

    @Test func dataPackets() throws {
        let encryption = quick("k")
        let packet = try #require(encryption.seal(data: Array("hello".utf8)))
        #expect(packet.iv.count == 12 && packet.value.count == 5 + 16)
        #expect(encryption.open(data: packet, from: "ada") == Array("hello".utf8))
        #expect(quick("x").open(data: packet, from: "ada") == nil)
        #expect(encryption.open(data: .init(iv: [1], keyIndex: 0, value: packet.value), from: "ada") == nil)
        #expect(encryption.open(data: .init(iv: packet.iv, keyIndex: 0, value: [1]), from: "ada") == nil)
        #expect(FrameEncryption().seal(data: [1]) == nil)
    }
}
