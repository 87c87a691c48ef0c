/// The 64-byte block that both hashes of an HMAC start with, RFC 2104 section 2.
enum HMACBlock {
    /// Fills `block` with the key, or with its hash where the key is longer, and with zeros behind it.
    static func fill(
        _ block: UnsafeMutableRawBufferPointer, key: UnsafeRawBufferPointer,
        hash: (UnsafeRawBufferPointer, UnsafeMutablePointer<UInt8>?) -> Void
    ) {
        for index in block.indices { block[index] = 0 }
        if key.count <= block.count {
            block.copyMemory(from: key)
        } else {
            hash(key, block.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Adds the pad octet to every byte.
    static func mask(_ block: UnsafeMutableRawBufferPointer, _ pad: UInt8) {
        for index in block.indices { block[index] ^= pad }
    }
}
