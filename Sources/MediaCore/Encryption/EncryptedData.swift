import RTCCore

/// A data packet encrypted end to end, as LiveKit's `EncryptedPacket` carries it.
public struct EncryptedData: Sendable, Hashable {
    /// 12 bytes.
    public var iv: [UInt8]
    /// Which of the sender's keys it is encrypted with.
    public var keyIndex: UInt8
    /// Ciphertext and 16-byte tag.
    public var value: [UInt8]

    /// A packet as it came.
    public init(iv: [UInt8], keyIndex: UInt8, value: [UInt8]) {
        self.iv = iv
        self.keyIndex = keyIndex
        self.value = value
    }
}

extension FrameEncryption {
    /// Encrypts a data packet with our own key; nil where none is set.
    public func seal(data: [UInt8]) -> EncryptedData? {
        guard let (index, slot) = sendingKey(), let aes = try? AESGCM(key: slot.key) else { return nil }
        let nonce = SecureRandom.bytes(AESGCM.nonceLength)
        var value = [UInt8](repeating: 0, count: data.count + AESGCM.tagLength)
        let isSealed = nonce.withUnsafeBytes { nonce in
            data.withUnsafeBytes { data in
                value.withUnsafeMutableBytes {
                    aes.seal(data, nonce: nonce, authenticating: UnsafeRawBufferPointer(start: nil, count: 0), into: $0)
                }
            }
        }
        return isSealed ? EncryptedData(iv: nonce, keyIndex: index, value: value) : nil
    }

    /// Decrypts a data packet of a participant; nil where there is no key for it or the key doesn't fit.
    public func open(data: EncryptedData, from participant: String) -> [UInt8]? {
        guard data.value.count >= AESGCM.tagLength, let slot = receivingKey(of: participant, index: data.keyIndex),
            let aes = try? AESGCM(key: slot.key)
        else { return nil }
        var plain = [UInt8](repeating: 0, count: data.value.count - AESGCM.tagLength)
        let isOpen = data.iv.withUnsafeBytes { nonce in
            data.value.withUnsafeBytes { sealed in
                plain.withUnsafeMutableBytes {
                    aes.open(
                        sealed, nonce: nonce, authenticating: UnsafeRawBufferPointer(start: nil, count: 0), into: $0)
                }
            }
        }
        return isOpen ? plain : nil
    }
}
