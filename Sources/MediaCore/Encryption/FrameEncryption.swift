import RTCCore
import Synchronization

/// End-to-end encryption of frames as LiveKit's clients do it: AES-128-GCM over each encoded frame, with keys that the
/// server never sees. How the participants come by a common key is the application's task.
///
/// One object serves a call: put it into `MediaSessionConfiguration.frameEncryption`. What we send is then encrypted; what
/// others send is decrypted where their track says that it is encrypted. Keys may be set and changed at any time.
public final class FrameEncryption: Sendable {
    /// How keys are derived from what the application sets.
    public enum Derivation: Sendable, Hashable {
        /// For passphrases: PBKDF2, HMAC-SHA-256, 100,000 iterations (some 20 ms of work).
        case pbkdf2
        /// For keys that are random already: HKDF with SHA-256.
        case hkdf
    }

    /// What all participants must have in common, and how failures are met.
    public struct Options: Sendable, Hashable {
        /// How keys are derived.
        public var derivation = Derivation.pbkdf2
        /// The salt of derivation and ratchet.
        public var salt = Array("LKFrameEncryptionKey".utf8)
        /// How many ratchet steps a receiver tries ahead after a frame that didn't open; 0 tries none. Each step with
        /// PBKDF2 is 40 ms of work.
        public var ratchetWindow = 0
        /// After how many failures in a row frames are dropped unseen until a key is set; negative for never.
        public var failureTolerance = -1
        /// Keys held at once, 1...256: an index counts modulo this.
        public var keyRingSize = 16

        /// LiveKit's passphrase mode, without ratchet.
        public init() {}
    }

    /// The options that the object was made with.
    public let options: Options
    private let state: Mutex<State>

    private struct State {
        /// What every participant without keys of its own has.
        var shared: FrameKeyRing
        var local: FrameKeyRing?
        /// By identity. Rings made from the shared one: a ratchet of one sender must not touch the others.
        var remote: [String: FrameKeyRing] = [:]
        /// Those of `remote` whose keys were set for them alone.
        var ownKeys: Set<String> = []
        var sendingIndex = 0
        var injectionTrailer: [UInt8] = []
    }

    /// An object without keys: nothing is sent before one is set.
    public init(options: Options = .init()) {
        var options = options
        options.keyRingSize = min(max(options.keyRingSize, 1), 256)
        options.ratchetWindow = min(max(options.ratchetWindow, 0), 64)
        self.options = options
        state = Mutex(State(shared: FrameKeyRing(size: options.keyRingSize)))
    }

    /// One passphrase for everybody.
    public convenience init(sharedKey: String, options: Options = .init()) {
        self.init(options: options)
        setSharedKey(Array(sharedKey.utf8))
    }

    // MARK: Keys

    /// Sets the key that everybody encrypts with who has none of their own. Takes the time of a derivation.
    public func setSharedKey(_ key: [UInt8], index: Int = 0) {
        guard let slot = FrameKeySlot(material: key, options: options) else { return }
        state.withLock { state in
            state.shared.set(slot, at: index)
            state.local?.set(slot, at: index)
            for identity in state.remote.keys where !state.ownKeys.contains(identity) {
                state.remote[identity]?.set(slot, at: index)
            }
        }
    }

    /// Sets the key of one participant; nil for our own.
    public func setKey(_ key: [UInt8], index: Int = 0, participant: String?) {
        guard let slot = FrameKeySlot(material: key, options: options) else { return }
        state.withLock { state in
            guard let participant else {
                var ring = state.local ?? state.shared
                ring.set(slot, at: index)
                state.local = ring
                return
            }
            var ring =
                state.ownKeys.insert(participant).inserted
                ? FrameKeyRing(size: options.keyRingSize)
                : state.remote[participant] ?? FrameKeyRing(size: options.keyRingSize)
            ring.set(slot, at: index)
            state.remote[participant] = ring
        }
    }

    /// Sends with the key of that index from the next frame on.
    public func setSendingKeyIndex(_ index: Int) {
        state.withLock { $0.sendingIndex = min(max(0, index), 255) }
    }

    /// Moves our own key one step on, from which nobody can go back, and gives its new material for those who join later.
    /// Receivers with a ratchet window follow by themselves.
    @discardableResult
    public func ratchetSendingKey() -> [UInt8]? {
        let (index, slot) = state.withLock { ($0.sendingIndex, ($0.local ?? $0.shared).slot(at: $0.sendingIndex)) }
        guard let next = slot?.ratcheted(options) else { return nil }
        state.withLock { state in
            var ring = state.local ?? state.shared
            ring.set(next, at: index)
            state.local = ring
        }
        return next.material
    }

    /// What ends a frame that the server made itself, as its join response says; empty where it makes none.
    public func setInjectionTrailer(_ trailer: [UInt8]) { state.withLock { $0.injectionTrailer = trailer } }

    // MARK: For sealers and openers

    var injectionTrailer: [UInt8] { state.withLock { $0.injectionTrailer } }

    /// The key to send with; nil where none is set.
    func sendingKey() -> (index: UInt8, slot: FrameKeySlot)? {
        state.withLock { state in
            (state.local ?? state.shared).slot(at: state.sendingIndex).map {
                (UInt8(truncatingIfNeeded: state.sendingIndex), $0)
            }
        }
    }

    /// The key of a participant for a received index; nil where there is none or it has failed too often.
    func receivingKey(of participant: String, index: UInt8) -> FrameKeySlot? {
        guard Int(index) < options.keyRingSize else { return nil }
        return state.withLock { state in
            let ring = state.remote[participant] ?? state.shared
            guard let slot = ring.slot(at: Int(index)) else { return nil }
            return options.failureTolerance >= 0 && ring.failures > options.failureTolerance ? nil : slot
        }
    }

    /// Notes how a frame of a participant fared.
    func note(opened: Bool, from participant: String) {
        guard options.failureTolerance >= 0 else { return }
        state.withLock { state in
            var ring = state.remote[participant] ?? state.shared
            guard !opened || ring.failures != 0 else { return }
            ring.failures = opened ? 0 : ring.failures + 1
            state.remote[participant] = ring
        }
    }

    /// Keeps a key that a ratchet has found.
    func adopt(_ slot: FrameKeySlot, of participant: String, index: UInt8) {
        state.withLock { state in
            var ring = state.remote[participant] ?? state.shared
            ring.set(slot, at: Int(index))
            state.remote[participant] = ring
        }
    }
}
