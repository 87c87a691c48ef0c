import CallBridge
import Foundation
import MediaCore
import Synchronization

/// Everything that one participant measures on one track of another.
final class InboundProbe: Sendable {
    let from: String
    let fromID: String
    let remote: RemoteTrack
    let card: TestCardSink?
    let meter: AudioMeter?
    let tape: AudioTape?
    private let recorder: TrackRecorder?

    /// - Parameters:
    ///   - keepsAudio: whether sound is kept for comparison with its source.
    ///   - recordTo: a folder for WAV and Y4M files; nil records nothing.
    init(
        _ remote: RemoteTrack, from participant: Participant, sender: UInt16?, keepsAudio: Bool,
        recordTo folder: String?
    ) throws {
        from = participant.identity
        fromID = participant.id
        self.remote = remote
        switch remote.kind {
        case .audio:
            card = nil
            meter = AudioMeter()
            tape = keepsAudio ? AudioTape() : nil
        case .video:
            card = TestCardSink(expectedSender: sender)
            meter = nil
            tape = nil
        }
        recorder = try folder.map { try TrackRecorder(remote.kind, folder: $0, name: participant.identity) }
        if let meter { remote.attach(meter) }
        if let tape { remote.attach(tape) }
        if let card { remote.attach(card) }
        recorder?.attach(to: remote)
    }

    /// Ends a recording. Throws `MediaError` where something could not be written.
    func close() throws {
        remote.detachAll()
        try recorder?.close()
    }
}

/// Where recordings go.
enum RecordingFolder {
    /// Makes the folder and tries to write in it. Throws `MediaError` that names it.
    static func prepare(_ folder: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw refusal(folder, error.localizedDescription)
        }
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw refusal(folder, "no permission to write")
        }
    }

    private static func refusal(_ folder: String, _ why: String) -> MediaError {
        MediaError(
            .unwritable, folder, "nothing can be recorded there (\(why))", remedy: "choose a folder that can be written"
        )
    }
}

/// Sound as it was played, with the time of its first sample, for a comparison at the end.
final class AudioTape: AudioSink {
    /// Two minutes at 48 kHz: more is not needed to tell who was heard, and memory stays bounded.
    private static let maximumSamples = 120 * AudioFrame.sampleRate

    private struct State {
        var samples: [Int16] = []
        var start: MediaTime?
    }

    private let state = Mutex(State())

    func receive(_ frame: AudioFrame) {
        state.withLock { state in
            state.start = state.start ?? frame.time
            guard state.samples.count < Self.maximumSamples else { return }
            if frame.channels == 1 {
                state.samples.append(contentsOf: frame.samples)
            } else {
                for index in stride(from: 0, to: frame.samples.count, by: frame.channels) {
                    state.samples.append(frame.samples[index])
                }
            }
        }
    }

    /// The samples from `time` on; silence where nothing had been played yet.
    func samples(from time: MediaTime) -> [Int16] {
        state.withLock { state in
            guard let start = state.start else { return [] }
            let offset = Int((time.seconds - start.seconds) * Double(AudioFrame.sampleRate))
            if offset >= 0 { return Array(state.samples.dropFirst(offset)) }
            return [Int16](repeating: 0, count: min(-offset, Self.maximumSamples)) + state.samples
        }
    }
}

/// Writes a track to a file.
private final class TrackRecorder: Sendable {
    private let wav: WAVWriter?
    private let y4m: Y4MWriter?

    init(_ kind: MediaKind, folder: String, name: String) throws {
        let safe = String(name.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "_" }.prefix(100))
        let plain = folder + "/" + (safe.isEmpty || safe.hasPrefix(".") ? "_" + safe : safe)
        let stem = Self.unused(plain, extension: kind == .audio ? ".wav" : ".y4m")
        wav = kind == .audio ? try WAVWriter(path: stem + ".wav") : nil
        y4m = kind == .video ? try Y4MWriter(path: stem + ".y4m") : nil
    }

    /// A second track of the same participant must not overwrite the first one's file.
    private static func unused(_ stem: String, extension suffix: String) -> String {
        var candidate = stem
        var number = 1
        while FileManager.default.fileExists(atPath: candidate + suffix) {
            number += 1
            candidate = "\(stem)-\(number)"
        }
        return candidate
    }

    func attach(to track: RemoteTrack) {
        if let wav { track.attach(wav) }
        if let y4m { track.attach(y4m) }
    }

    func close() throws {
        try wav?.close()
        try y4m?.close()
    }
}
