import MediaCore
import Synchronization

/// Whether somebody's sound leaves at present.
final class SpeechSwitch: Sendable {
    private let state: Atomic<Bool>

    init(_ isOn: Bool) { state = Atomic(isOn) }

    var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}

/// Sound that can be switched to silence.
final class SwitchedSource: AudioSource {
    let channels: Int
    private let source: any AudioSource
    private let control: SpeechSwitch

    init(_ source: any AudioSource, _ control: SpeechSwitch) {
        self.source = source
        self.control = control
        channels = source.channels
    }

    func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        guard control.isOn else {
            samples.update(repeating: 0)
            return samples.count / channels
        }
        let frames = source.read(into: samples)
        if frames * channels < samples.count { samples[(frames * channels)...].update(repeating: 0) }
        return samples.count / channels
    }
}
