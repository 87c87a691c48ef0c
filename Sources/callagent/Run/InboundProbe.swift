import CallBridge
import Foundation
import MediaCore
import Synchronization

/// Everything that one participant measures on one track of another, over all times that it is subscribed.
final class InboundProbe: Sendable {
    /// The provider's id of the track.
    let id: String
    let from: String
    let kind: MediaKind
    let card: TestCardSink?
    let meter: AudioMeter?
    let tape: AudioTape?
    /// Compares sound with what is known to be said.
    let score: ReferenceScoreSink?
    private let folder: String?
    private let state = Mutex(State())

    private struct State {
        /// The track as each subscription had it, by what its statistics go by; the media of the latest.
        var sources: Set<[String]> = []
        var present: RemoteTrack?
        var recorders: [TrackRecorder] = []
        var failures: [MediaError] = []
    }

    /// - Parameters:
    ///   - id: the provider's id of the track.
    ///   - from: the identity of its sender.
    ///   - sender: the number that its test card shows, where known.
    ///   - keepsAudio: whether sound is kept for comparison with its source.
    ///   - recordTo: a folder for WAV and Y4M files; nil records nothing.
    ///   - reference: what its sound is scored against; nil scores nothing.
    init(
        _ kind: MediaKind, id: String, from: String, sender: UInt16?, keepsAudio: Bool, recordTo folder: String?,
        reference: ReferenceSound? = nil
    ) {
        self.id = id
        self.from = from
        self.kind = kind
        self.folder = folder
        switch kind {
        case .audio:
            card = nil
            meter = AudioMeter()
            tape = keepsAudio ? AudioTape() : nil
            score = reference.map { ReferenceScoreSink($0) }
        case .video:
            card = TestCardSink(expectedSender: sender)
            meter = nil
            tape = nil
            score = nil
        }
    }

    /// Measures the track's media as it comes from now on. A recording that can't be made is no reason not to.
    func attach(to remote: RemoteTrack) {
        let isAgain = state.withLock { state in
            defer { state.present = remote }
            state.sources.insert(Self.source(remote))
            state.present?.detachAll()
            return state.present != nil
        }
        if isAgain {
            card?.expectGap()
            tape?.expectGap()
        }
        if let meter { remote.attach(meter) }
        if let tape { remote.attach(tape) }
        if let score { remote.attach(score) }
        if let card { remote.attach(card) }
        if let folder { record(remote, in: folder) }
    }

    private func record(_ remote: RemoteTrack, in folder: String) {
        do throws(MediaError) {
            let recorder = try TrackRecorder(kind, folder: folder, identity: from)
            recorder.attach(to: remote)
            state.withLock { $0.recorders.append(recorder) }
        } catch {
            state.withLock { $0.failures.append(error) }
        }
    }

    /// What was counted on the track, all subscriptions together; nil where nothing was.
    func counted(_ receivers: [ReceiverStatistics]) -> ReceiverStatistics? {
        let sources = state.withLock { $0.sources }
        let ours = receivers.filter { $0.kind == kind && sources.contains([$0.streamID, $0.trackID]) }
        guard var sum = ours.last else { return nil }
        for earlier in ours.dropLast().reversed() { sum.add(earlier: earlier) }
        return sum
    }

    /// Ends the recordings. What could not be written.
    func close() -> [MediaError] {
        state.withLock { state in
            state.present?.detachAll()
            for recorder in state.recorders {
                do throws(MediaError) { try recorder.close() } catch { state.failures.append(error) }
            }
            state.recorders = []
            return state.failures
        }
    }

    private static func source(_ remote: RemoteTrack) -> [String] { [remote.streamID, remote.trackID] }
}

/// Where recordings go.
enum RecordingFolder {
    /// Makes the folder and tries to write in it. Throws `MediaError` that names it.
    static func prepare(_ folder: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw refusal(folder, FileFault.words(error))
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
        var expectsGap = false
    }

    private let state = Mutex(State())

    /// The track was not received for a while: what comes next is put in its place by its time.
    func expectGap() { state.withLock { $0.expectsGap = true } }

    func receive(_ frame: AudioFrame) {
        state.withLock { state in
            let start = state.start ?? frame.time
            state.start = start
            if state.expectsGap { Self.pad(&state, from: start, to: frame.time) }
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

    private static func pad(_ state: inout State, from start: MediaTime, to time: MediaTime) {
        state.expectsGap = false
        let place = Int(max(0, time.seconds - start.seconds) * Double(AudioFrame.sampleRate))
        let missing = min(place, maximumSamples) - state.samples.count
        if missing > 0 { state.samples.append(contentsOf: repeatElement(0, count: missing)) }
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
