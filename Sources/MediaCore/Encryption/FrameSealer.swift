import RTCCore
import RTCWire

/// Encrypts the frames of one stream that we send. Has one owner at a time.
final class FrameSealer {
    private let encryption: FrameEncryption
    private let ssrc: UInt32
    private var count = UInt32.random(in: 0..<0xffff)
    private var cipher: (generation: UInt64, aes: AESGCM)?

    init(_ encryption: FrameEncryption, ssrc: UInt32) {
        self.encryption = encryption
        self.ssrc = ssrc
    }

    /// The encrypted frame; nil where no key is set, so that nothing may be sent. An empty frame stays empty.
    func seal(_ frame: [UInt8], codec: FrameCodec, timestamp: UInt32) -> [UInt8]? {
        guard !frame.isEmpty else { return frame }
        guard let (index, slot) = encryption.sendingKey(), let aes = cipher(for: slot) else { return nil }
        let nonce = nextNonce(timestamp)
        return frame.withUnsafeBytes { plain in
            let clear = min(codec.clearLength(of: plain), plain.count)
            var sealed = [UInt8](repeating: 0, count: plain.count + FrameLayout.overhead)
            let isSealed = sealed.withUnsafeMutableBytes { target in
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: plain[..<clear]))
                let end = plain.count + AESGCM.tagLength
                UnsafeMutableRawBufferPointer(rebasing: target[end...]).copyBytes(
                    from: nonce + [UInt8(AESGCM.nonceLength), index])
                return nonce.withUnsafeBytes { nonce in
                    aes.seal(
                        UnsafeRawBufferPointer(rebasing: plain[clear...]), nonce: nonce,
                        authenticating: UnsafeRawBufferPointer(rebasing: plain[..<clear]),
                        into: UnsafeMutableRawBufferPointer(rebasing: target[clear..<end]))
                }
            }
            return isSealed ? sealed : nil
        }
    }

    private func cipher(for slot: FrameKeySlot) -> AESGCM? {
        if let cipher, cipher.generation == slot.generation { return cipher.aes }
        guard let fresh = try? AESGCM(key: slot.key) else { return nil }
        cipher = (slot.generation, fresh)
        return fresh
    }

    /// SSRC, timestamp, and the timestamp less a counter: unique for 65,535 frames of one timestamp.
    private func nextNonce(_ timestamp: UInt32) -> [UInt8] {
        defer { count &+= 1 }
        return [ssrc, timestamp, timestamp &- count % 0xffff].flatMap { word in
            withUnsafeBytes(of: word.bigEndian) { Array($0) }
        }
    }
}
