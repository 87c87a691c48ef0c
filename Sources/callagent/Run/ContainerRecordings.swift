import CallArchive
import CallBridge
import Foundation
import MediaCore
import Synchronization

/// Recordings of what participants send, as it comes: sound and pictures of each in one WebM or Matroska file, a shared
/// screen in another.
///
/// The first participant's file has the name that was given; further ones have theirs in it: `call-ada.webm`.
final class ContainerRecordings: Sendable {
    private struct State {
        var recorders: [(name: String, recorder: StreamRecorder)] = []
        /// By the provider's id.
        var tracks: [String: (remote: RemoteTrack, recorder: StreamRecorder)] = [:]
        var isFirstTaken = false
    }

    private static let suffixes = [".webm", ".mkv"]

    private let folder: String
    private let stem: String
    private let suffix: String
    private let state = Mutex(State())

    /// Nil for a path that is no such file's. Throws `MediaError` where nothing can be written there.
    init?(path: String) throws {
        guard let suffix = Self.suffixes.first(where: path.hasSuffix), path.count > suffix.count else { return nil }
        let url = URL(fileURLWithPath: String(path.dropLast(suffix.count)))
        self.suffix = suffix
        stem = url.lastPathComponent
        folder = url.deletingLastPathComponent().path
        try RecordingFolder.prepare(folder)
    }

    /// Records a track from now on.
    func record(_ remote: RemoteTrack, _ track: Track, of participant: Participant) {
        let isScreen = track.source == .screenShare || track.source == .screenShareAudio
        let name = participant.identity + (isScreen ? "-screen" : "")
        let (recorder, earlier) = state.withLock { state in
            let recorder = state.recorders.first { $0.name == name }?.recorder ?? begin(name, &state)
            return (recorder, state.tracks.updateValue((remote, recorder), forKey: track.id))
        }
        if let earlier { earlier.recorder.detach(earlier.remote) }
        recorder.attach(remote)
    }

    /// Records no more of a track.
    func release(_ track: Track) {
        let ended = state.withLock { $0.tracks.removeValue(forKey: track.id) }
        if let ended { ended.recorder.detach(ended.remote) }
    }

    private func begin(_ name: String, _ state: inout State) -> StreamRecorder {
        let stem = state.isFirstTaken ? RecordingName.stem("\(self.stem)-\(name)") : self.stem
        state.isFirstTaken = true
        let recorder = StreamRecorder { [folder, suffix] in
            RecordingName.unused(stem, suffix: suffix, in: folder)
        }
        state.recorders.append((name, recorder))
        return recorder
    }

    /// Ends all of them.
    func close() -> [RecordingReport] {
        let recorders = state.withLock { state in
            defer { state = State() }
            return state.recorders
        }
        return recorders.compactMap { name, recorder in
            let result = recorder.close()
            guard !result.files.isEmpty || result.failure != nil else { return nil }
            return RecordingReport(
                from: name, files: result.files, bytes: result.bytes,
                durationSeconds: Double(result.milliseconds) / 1_000, tracks: result.codecs.map(\.rawValue),
                failure: result.failure.map { "\($0)" })
        }
    }
}
