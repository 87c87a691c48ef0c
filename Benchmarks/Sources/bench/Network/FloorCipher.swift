import CFloors
import RTCCore

/// The C floor's cipher. All floors share one set of keys: it costs the same as many.
final class FloorCipher {
    /// Session keys as `FLOOR_KEY_BYTES` describes them.
    static let keys = (0..<Int(FLOOR_KEY_BYTES)).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }

    private let cipher: OpaquePointer

    init(_ profile: SRTPProfile, encrypts: Bool) {
        cipher = floor_cipher_make(profile.floor, FloorCipher.keys, encrypts ? 1 : 0)
    }

    deinit { floor_cipher_free(cipher) }

    /// The sealed length.
    func seal(_ packet: UnsafeMutableRawBufferPointer, length: Int) -> Int {
        Int(floor_seal(cipher, packet.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(length)))
    }

    func sealMany(_ packet: UnsafeMutableRawBufferPointer, length: Int, count: Int) {
        floor_seal_many(cipher, packet.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(length), Int32(count))
    }
}

extension SRTPProfile {
    var floor: floor_profile { self == .aes128CMSHA1_80 ? FLOOR_AES_CM_SHA1 : FLOOR_AES_GCM }
}
