import Dispatch
import MediaCore
import RTCWire
import Synchronization

/// Records what one participant sends, as it comes, into one file of sound and pictures. Another file begins where the
/// pictures' codec changes.
///
/// Frames are taken over where they arrive; a queue of the recorder's own writes them.
package final class StreamRecorder: Sendable {
    /// What a recording has become.
    package struct Result: Sendable {
        package var files: [String] = []
        package var bytes = 0
        package var milliseconds: Int64 = 0
        /// The codecs of tracks that have frames.
        package var codecs: [MediaCodec] = []
        /// When the first file begins, on our clock.
        package var beginning: MediaTime?
        package var failure: MediaError?
        /// See `RecordingTimeline`.
        var soundClock: Int64?, pictureClock: Int64?
    }

    private struct Intake {
        var machine: RecordingMachine
        var taps: [FrameTap] = []
        var streams = 0
        var isClosed = false
    }

    private struct Output: ~Copyable {
        var writer: MatroskaWriter?
        var tracks: [MatroskaWriter.Track] = []
        var result = Result()
        var actions: [RecordingMachine.Action] = []
    }

    /// How often frames are written.
    private static let rhythm = DispatchTimeInterval.milliseconds(100)

    private let intake: Mutex<Intake>
    private let output = Mutex(Output())
    private let clock: MediaClock
    private let sizeLimit: Int
    private let next: @Sendable () throws(MediaError) -> String
    /// Dispatch's objects may be used from any thread.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - kinds: what is recorded.
    ///   - sizeLimit: bytes that a file may have at most.
    ///   - next: names each file.
    package init(
        kinds: Set<MediaKind> = Set(MediaKind.allCases), sizeLimit: Int = .max, clock: MediaClock = .system,
        next: @escaping @Sendable () throws(MediaError) -> String
    ) {
        intake = Mutex(Intake(machine: RecordingMachine(kinds: kinds)))
        self.clock = clock
        self.sizeLimit = sizeLimit
        self.next = next
        let queue = DispatchQueue(label: "recording")
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.rhythm, repeating: Self.rhythm, leeway: .milliseconds(20))
        timer.setEventHandler { [weak self] in self?.write() }
        timer.resume()
    }

    deinit { timer.cancel() }

    // MARK: In

    /// Records a track from now on, beside those that are recorded already.
    package func attach(_ track: RemoteTrack) {
        let tap: FrameTap? = intake.withLock { intake in
            guard !intake.isClosed else { return nil }
            intake.streams += 1
            let tap = FrameTap(self, track, number: intake.streams)
            intake.taps.append(tap)
            return tap
        }
        if let tap { track.record(to: tap) }
    }

    /// Records no more of a track.
    package func detach(_ track: RemoteTrack) {
        let ended = intake.withLock { intake in
            let ended = intake.taps.filter { $0.track === track }
            intake.taps.removeAll { $0.track === track }
            for tap in ended { intake.machine.end(stream: tap.number, kind: track.kind) }
            return ended
        }
        for tap in ended { track.stopRecording(to: tap) }
    }

    fileprivate func take(_ frame: ReceivedFrame, of tap: FrameTap) {
        let needsKeyFrame = intake.withLock { $0.isClosed ? false : $0.machine.take(frame, stream: tap.number) }
        if needsKeyFrame { tap.track.requestKeyFrame() }
    }

    // MARK: Out

    /// What has been written so far.
    package var result: Result { output.withLock { $0.result } }

    /// Bytes on the disk by now, those of the file that is being written among them.
    package var size: Int { output.withLock { $0.result.bytes + ($0.writer?.size ?? 0) } }

    /// Writes what is left and closes the file.
    package func close() -> Result {
        let taps = intake.withLock { intake in
            intake.isClosed = true
            defer { intake.taps = [] }
            return intake.taps
        }
        timer.cancel()
        for tap in taps { tap.track.stopRecording(to: tap) }
        return output.withLock { output in
            intake.withLock { intake in
                intake.machine.finish(into: &output.actions)
                output.result.soundClock = intake.machine.timeline.soundClock
                output.result.pictureClock = intake.machine.timeline.pictureClock
            }
            perform(&output)
            Self.end(&output)
            return output.result
        }
    }

    private func write() {
        let now = Instant(nanoseconds: clock.now.nanoseconds)
        output.withLock { output in
            intake.withLock { $0.machine.advance(to: now, into: &output.actions) }
            perform(&output)
        }
    }

    private func perform(_ output: inout Output) {
        if !output.actions.isEmpty, output.result.beginning == nil {
            output.result.beginning = intake.withLock { $0.machine.origin }.map { MediaTime(nanoseconds: $0) }
        }
        for action in output.actions where output.result.failure == nil {
            switch action {
            case .begin(let tracks): begin(tracks, &output)
            case .write(let frame):
                output.writer?.write(frame)
                output.result.failure = output.writer?.failure
            }
        }
        output.actions.removeAll(keepingCapacity: true)
    }

    private func begin(_ tracks: [MatroskaWriter.Track], _ output: inout Output) {
        Self.end(&output)
        do throws(MediaError) {
            let path = try next()
            output.writer = try MatroskaWriter(path: path, tracks: tracks, sizeLimit: sizeLimit)
            output.tracks = tracks
            output.result.files.append(path)
        } catch {
            output.result.failure = error
        }
    }

    private static func end(_ output: inout Output) {
        guard output.writer != nil else { return }
        output.writer?.close()
        output.result.failure = output.result.failure ?? output.writer?.failure
        output.result.bytes += output.writer?.size ?? 0
        output.result.milliseconds += output.writer?.milliseconds ?? 0
        for track in (output.writer?.begun ?? []).sorted() {
            let codec = output.tracks[track].codec
            if !output.result.codecs.contains(codec) { output.result.codecs.append(codec) }
        }
        output.writer = nil
    }
}

/// Hands the frames of one track to a recorder.
private final class FrameTap: ReceivedFrameSink {
    let track: RemoteTrack
    let number: Int
    private weak let recorder: StreamRecorder?

    init(_ recorder: StreamRecorder, _ track: RemoteTrack, number: Int) {
        self.recorder = recorder
        self.track = track
        self.number = number
    }

    func receive(_ frame: ReceivedFrame) { recorder?.take(frame, of: self) }
}
