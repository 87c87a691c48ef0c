import RTCCore
import Synchronization

/// One key: what it was made from, and what frames are encrypted with.
struct FrameKeySlot: Sendable {
    /// What the application set, or what a ratchet made of it.
    let material: [UInt8]
    /// 16 bytes.
    let key: [UInt8]
    /// Tells keys apart without comparing them.
    let generation: UInt64

    /// Derives the key. Nil where libcrypto refuses.
    init?(material: [UInt8], options: FrameEncryption.Options) {
        guard let key = FrameKeySlot.derive(material, options, length: 16) else { return nil }
        self.material = material
        self.key = key
        generation = FrameKeySlot.generations.add(1, ordering: .relaxed).newValue
    }

    /// One ratchet step: the derivation over the present material, 32 bytes long.
    func ratcheted(_ options: FrameEncryption.Options) -> FrameKeySlot? {
        FrameKeySlot.derive(material, options, length: 32).flatMap { FrameKeySlot(material: $0, options: options) }
    }

    private static let generations = Atomic<UInt64>(0)
    private static let iterations = 100_000

    private static func derive(_ material: [UInt8], _ options: FrameEncryption.Options, length: Int) -> [UInt8]? {
        switch options.derivation {
        case .pbkdf2:
            try? PBKDF2.sha256(material, salt: options.salt, iterations: iterations, length: length)
        case .hkdf:
            HKDF.sha256(material, salt: options.salt, info: [UInt8](repeating: 0, count: 128), length: length)
        }
    }
}

/// The keys of one participant by index.
struct FrameKeyRing: Sendable {
    private var slots: [FrameKeySlot?]
    /// Frames in a row that didn't open.
    var failures = 0

    init(size: Int) { slots = Array(repeating: nil, count: max(1, size)) }

    func slot(at index: Int) -> FrameKeySlot? { slots[FrameKeyRing.place(index, slots.count)] }

    mutating func set(_ slot: FrameKeySlot, at index: Int) {
        slots[FrameKeyRing.place(index, slots.count)] = slot
        failures = 0
    }

    private static func place(_ index: Int, _ count: Int) -> Int { Int(index.magnitude % UInt(count)) }
}
