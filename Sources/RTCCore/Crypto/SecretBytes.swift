import CCrypto

/// Bytes that nobody finds in memory once their last owner is gone. Never grows, never copies.
final class SecretBytes {
    private let memory: UnsafeMutableRawBufferPointer

    /// `count` zeros, which `fill` replaces; nil where it gives false.
    init?(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Bool) {
        memory = .allocate(byteCount: count, alignment: 8)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        guard fill(memory) else { return nil }
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
