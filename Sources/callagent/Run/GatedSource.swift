import MediaCore
import Synchronization

/// Silence until a gate opens; then another source, a copy of which is kept as the truth to compare with.
final class GatedSource: AudioSource {
    let channels: Int
    private let source: any AudioSource
    private let isOpen = Atomic<Bool>(false)
    private let spoken = Mutex<[Int16]>([])
    /// Two minutes at 48 kHz, like the tapes it is compared with.
    private static let maximumSamples = 120 * AudioFrame.sampleRate

    init(_ source: any AudioSource) {
        self.source = source
        channels = source.channels
    }

    func open() { isOpen.store(true, ordering: .releasing) }

    /// What has been read since the gate opened, up to two minutes.
    var samples: [Int16] { spoken.withLock { $0 } }

    func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        guard isOpen.load(ordering: .acquiring) else {
            samples.update(repeating: 0)
            return samples.count / channels
        }
        let frames = source.read(into: samples)
        if frames * channels < samples.count { samples[(frames * channels)...].update(repeating: 0) }
        spoken.withLock { if $0.count < Self.maximumSamples { $0.append(contentsOf: samples) } }
        return samples.count / channels
    }
}
