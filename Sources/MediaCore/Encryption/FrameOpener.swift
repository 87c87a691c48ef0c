import RTCCore
import RTCWire

/// Decrypts the frames of one participant's track. Has one owner at a time.
final class FrameOpener {
    /// What came of a frame.
    enum Result: Equatable {
        case opened([UInt8])
        /// A filler of the server's own, in the clear.
        case injected([UInt8])
        /// No key is set for it, or the key has failed too often.
        case noKey
        /// The key doesn't fit, or it is no encrypted frame.
        case failed
    }

    private let encryption: FrameEncryption
    private let participant: String
    private let codec: FrameCodec
    private var cipher: (generation: UInt64, aes: AESGCM)?
    private var lastSearch: Instant?

    init(_ encryption: FrameEncryption, participant: String, codec: FrameCodec) {
        self.encryption = encryption
        self.participant = participant
        self.codec = codec
    }

    /// Decrypts one frame with the key that is set; cheap.
    func open(_ frame: UnsafeRawBufferPointer) -> Result {
        guard !frame.isEmpty else { return .opened([]) }
        if let filler = InjectedFrame.payload(frame, trailer: encryption.injectionTrailer, codec: codec) {
            return .injected(filler)
        }
        guard let parts = FrameLayout.Parts(frame, codec: codec) else { return fail() }
        guard let slot = encryption.receivingKey(of: participant, index: parts.keyIndex) else { return .noKey }
        guard let aes = cipher(for: slot), let plain = FrameOpener.open(parts, aes) else { return fail() }
        encryption.note(opened: true, from: participant)
        return .opened(plain)
    }

    /// Whether a frame that failed may be tried with the keys ahead now: the search is dear, and a wrong key fails always.
    func maySearch(now: Instant) -> Bool {
        guard encryption.options.ratchetWindow > 0 else { return false }
        if let lastSearch, now - lastSearch < .seconds(1) { return false }
        lastSearch = now
        return true
    }

    /// A search for the sender's key ahead of ours that can run elsewhere; it keeps what it finds.
    func search(_ frame: [UInt8]) -> @Sendable () -> [UInt8]? {
        let (encryption, participant, codec) = (self.encryption, self.participant, self.codec)
        return {
            frame.withUnsafeBytes { bytes in
                guard let parts = FrameLayout.Parts(bytes, codec: codec),
                    var slot = encryption.receivingKey(of: participant, index: parts.keyIndex)
                else { return nil }
                for _ in 0..<encryption.options.ratchetWindow {
                    guard let next = slot.ratcheted(encryption.options), let aes = try? AESGCM(key: next.key) else {
                        return nil
                    }
                    slot = next
                    if let plain = FrameOpener.open(parts, aes) {
                        encryption.adopt(slot, of: participant, index: parts.keyIndex)
                        return plain
                    }
                }
                return nil
            }
        }
    }

    private func fail() -> Result {
        encryption.note(opened: false, from: participant)
        return .failed
    }

    private func cipher(for slot: FrameKeySlot) -> AESGCM? {
        if let cipher, cipher.generation == slot.generation { return cipher.aes }
        guard let fresh = try? AESGCM(key: slot.key) else { return nil }
        cipher = (slot.generation, fresh)
        return fresh
    }

    private static func open(_ parts: FrameLayout.Parts, _ aes: AESGCM) -> [UInt8]? {
        let clear = parts.header.count
        var plain = [UInt8](repeating: 0, count: clear + parts.sealed.count - AESGCM.tagLength)
        let isOpen = plain.withUnsafeMutableBytes { target in
            target.copyMemory(from: parts.header)
            return aes.open(
                parts.sealed, nonce: parts.nonce, authenticating: parts.header,
                into: UnsafeMutableRawBufferPointer(rebasing: target[clear...]))
        }
        return isOpen ? plain : nil
    }
}

/// Frames that the server makes itself while a sender is silent, in the clear and marked by a trailer.
enum InjectedFrame {
    /// The filler without its trailer; nil for any other frame.
    ///
    /// Only what fillers look like is taken: digital silence, or a black picture of 8x8. Otherwise whoever knows the
    /// trailer could show anything.
    static func payload(_ frame: UnsafeRawBufferPointer, trailer: [UInt8], codec: FrameCodec) -> [UInt8]? {
        guard !trailer.isEmpty, frame.count > trailer.count,
            frame.suffix(trailer.count).elementsEqual(trailer)
        else { return nil }
        let filler = frame.dropLast(trailer.count)
        switch codec {
        case .opus:
            guard filler.starts(with: [0xf8, 0xff, 0xfe]), filler.dropFirst(3).allSatisfy({ $0 == 0 }) else {
                return nil
            }
        case .vp8:
            guard filler.count <= 64, filler.starts(with: [0x10]),
                filler.dropFirst(3).starts(with: [0x9d, 0x01, 0x2a, 8, 0, 8, 0])
            else { return nil }
        }
        return Array(filler)
    }
}
