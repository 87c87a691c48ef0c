import CallBridge
import MediaCore
import Synchronization

/// The media of one call that `ring` or `answer` has joined: what is heard and published, the indicator, recordings.
actor RingCall {
    let call: Call
    let stay: RingStay
    private let media: RingMedia
    private let watch: IndicatorWatch
    private let recordings: RingRecordings?

    /// The one who listens hears the greeting from now on, if not before; returns when the call has been joined. Throws
    /// `CallError`, and `MediaError` where something can't be written.
    static func join(
        _ conversation: String, as identity: String, on bridge: CallBridge, with media: RingMedia
    ) async throws -> RingCall {
        let begun = MediaTime.now
        let heard = try await media.hearing.begin(on: bridge)
        let call = try await bridge.join(conversation: conversation, as: identity)
        heard?.play(call)
        do {
            let watch = try IndicatorWatch(
                call, begun: begun, picture: media.picture, line: media.showsIndicator ? media.says : nil)
            return RingCall(call, media, watch)
        } catch {
            await call.leave()
            throw error
        }
    }

    private init(_ call: Call, _ media: RingMedia, _ watch: IndicatorWatch) {
        self.call = call
        self.media = media
        self.watch = watch
        recordings = media.record.map { RingRecordings(folder: $0) }
        stay = RingStay(call, recordings: recordings, says: media.says)
    }

    /// Publishes; returns when media is connected.
    func begin() async throws {
        let events = call.events
        await watch.start()
        try await call.publish(media.published)
        for await event in events {
            if case .mediaConnected = event { return }
            if case .stateChanged(.active) = event { return }
        }
    }

    /// Completes files.
    func finish(into report: inout RingRun.Report) async {
        let (shown, failure) = await watch.finish()
        if media.showsIndicator || media.picture != nil { report.indicator = shown }
        if let failure { report.fail("\(failure)") }
        for failure in recordings?.close() ?? [] { report.fail(failure) }
    }
}

/// The files of what is received.
final class RingRecordings: Sendable {
    private let folder: String
    private let state = Mutex<(recorders: [TrackRecorder], failures: [String])>(([], []))

    init(folder: String) { self.folder = folder }

    /// Records a track from now on.
    func record(_ track: RemoteTrack, kind: MediaKind, of identity: String) {
        do throws(MediaError) {
            let recorder = try TrackRecorder(kind, folder: folder, identity: identity)
            recorder.attach(to: track)
            state.withLock { $0.recorders.append(recorder) }
        } catch {
            state.withLock { $0.failures.append("recording: \(error)") }
        }
    }

    /// Completes the files, and says what could not be written.
    func close() -> [String] {
        state.withLock { state in
            for recorder in state.recorders {
                do throws(MediaError) { try recorder.close() } catch { state.failures.append("recording: \(error)") }
            }
            state.recorders = []
            return state.failures
        }
    }
}
