import RTCCore
import Testing

@Suite struct CryptoHMACTests {
    /// RFC 2202 section 3.
    static let sha1: [(key: [UInt8], data: [UInt8], code: String)] = [
        ([UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8), "b617318655057264e28bc0b6fb378c8ef146be00"),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "125d7342b9ac11cd91a39af48aa17b4f63f175d3"
        ),
        (Array(1...25), [UInt8](repeating: 0xcd, count: 50), "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
        (
            [UInt8](repeating: 0x0c, count: 20), Array("Test With Truncation".utf8),
            "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"
        ),
        (
            [UInt8](repeating: 0xaa, count: 80), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "aa4ae5e15272d00e95705637ce8a3b55ed402112"
        ),
        (
            [UInt8](repeating: 0xaa, count: 80),
            Array("Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data".utf8),
            "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"
        ),
    ]

    /// RFC 4231 section 4, cases 1 to 4, 6 and 7.
    static let sha256: [(key: [UInt8], data: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(1...25), [UInt8](repeating: 0xcd, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test(arguments: sha1.indices) func hmacSHA1(_ index: Int) {
        let vector = Self.sha1[index]
        #expect(HMACSHA1(key: vector.key).authenticate(vector.data) == fromHex(vector.code))
    }

    @Test(arguments: sha256.indices) func hmacSHA256(_ index: Int) {
        let vector = Self.sha256[index]
        let context = HMACSHA256(key: vector.key)
        #expect(context.authenticate(vector.data) == fromHex(vector.code))
        #expect(context.isValid(fromHex(vector.code), for: vector.data))
        #expect(!context.isValid(fromHex(vector.code), for: vector.data + [0]))
        #expect(!context.isValid([], for: vector.data))
    }

    @Test func oneContextServesManyMessagesInAnyParts() {
        let context = HMACSHA1(key: fromHex("000102030405060708090a0b0c0d0e0f10111213"))
        let message = (0..<1500).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for cut in [0, 1, 63, 64, 65, 1200, 1500] {
            let whole = context.authenticate(message)
            var code = [UInt8](repeating: 0, count: 20)
            message.withUnsafeBytes { message in
                code.withUnsafeMutableBytes {
                    context.authenticate(
                        UnsafeRawBufferPointer(rebasing: message[..<cut]),
                        UnsafeRawBufferPointer(rebasing: message[cut...]), into: $0)
                }
            }
            #expect(code == whole)
        }
    }

    @Test func shortenedCodesAreComparedAsFarAsTheyGo() {
        let context = HMACSHA1(password: "secret")
        let message = Array("message".utf8)
        var code = context.authenticate(message)
        func isValid(_ count: Int) -> Bool {
            message.withUnsafeBytes { message in
                code.withUnsafeBytes {
                    context.isValid(UnsafeRawBufferPointer(rebasing: $0[..<count]), for: message)
                }
            }
        }
        #expect(isValid(20) && isValid(10) && !isValid(0))
        code[9] ^= 1
        #expect(!isValid(20) && !isValid(10) && isValid(9))
    }

    @Test func digestAndRandom() {
        #expect(
            SHA256Digest.of(Array("abc".utf8))
                == fromHex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(SecureRandom.bytes(0).isEmpty && SecureRandom.bytes(33).count == 33)
        let generator = SecureRandom()
        #expect(Set((0..<64).map { _ in generator.next() }).count == 64)
    }
}
