import CCrypto

/// Bytes that nobody finds in memory once their last owner is gone. Never grows, never copies itself.
final class SecretBytes: Equatable {
    private let memory: UnsafeMutableRawBufferPointer

    /// `count` zeros, which `fill` replaces; nil where it gives false.
    init?(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Bool) {
        memory = .allocate(byteCount: count, alignment: 8)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        guard fill(memory) else { return nil }
    }

    /// A copy; what it is copied from is its owner's to wipe.
    init(_ bytes: some Collection<UInt8>) {
        memory = .allocate(byteCount: bytes.count, alignment: 8)
        memory.copyBytes(from: bytes)
    }

    /// Takes the same time wherever the values differ.
    static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left.memory.baseAddress, right.memory.baseAddress, left.count) == 0
    }

    deinit {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    var count: Int { memory.count }

    /// The bytes, valid during the call.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(memory))
    }
}

extension UnsafeRawBufferPointer {
    /// As libcrypto's calls take bytes.
    var octets: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    /// As libcrypto's calls take bytes.
    var octets: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
