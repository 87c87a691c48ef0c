import CCrypto

/// Takes the place of libcrypto's generator, so that an input does the same every time. Of this process alone.
package enum RepeatableRandom {
    nonisolated(unsafe) private static var state: UInt64 = 1
    nonisolated(unsafe) private static var method = RAND_METHOD(
        seed: { _, _ in 1 }, bytes: { RepeatableRandom.fill($0, $1) }, cleanup: nil, add: { _, _, _ in 1 },
        pseudorand: { RepeatableRandom.fill($0, $1) }, status: { 1 })

    package static func install() {
        precondition(RAND_set_rand_method(&method) == 1, "libcrypto keeps its own generator")
    }

    package static func restart() { state = 1 }

    private static func fill(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int32) -> Int32 {
        guard let bytes else { return 0 }
        for index in 0..<Int(count) {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[index] = UInt8(truncatingIfNeeded: state >> 33)
        }
        return 1
    }
}
