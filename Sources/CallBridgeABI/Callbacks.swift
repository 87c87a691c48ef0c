import CCallBridge
import CallBridge
import MediaCore
import Synchronization

/// Tells the application, on the library's thread, until the call is destroyed.
// The pointers are the application's, which lets them be used on that thread until then; they are only handed through.
final class Callbacks: @unchecked Sendable {
    private let functions: callbridge_callbacks
    private let handle: UInt64
    private let isClosed = Mutex(false)
    private let thread = CallbackThread.shared

    init(_ functions: callbridge_callbacks, _ handle: UInt64) {
        self.functions = functions
        self.handle = handle
    }

    /// Nothing is told any more when this has returned.
    func close() {
        isClosed.withLock { $0 = true }
        thread.drain()
    }

    /// Whether somebody looks at pictures.
    var wantsFrames: Bool { functions.video_frame != nil }

    /// Whether somebody wants to know how loud others are.
    var wantsLevels: Bool { functions.audio_level != nil }

    private func post(_ tell: @escaping @Sendable (Callbacks) -> Void, done: @escaping @Sendable () -> Void = {}) {
        thread.post { [self] in
            defer { done() }
            if !isClosed.withLock({ $0 }) { tell(self) }
        }
    }

    func state(_ state: Int32) { post { $0.tell(state, "") } }

    /// The call is over. Told once, and nothing is told after it.
    func ended(_ reason: String) {
        thread.post { [self] in
            let isNews = isClosed.withLock { isClosed in
                defer { isClosed = true }
                return !isClosed
            }
            if isNews { tell(CALLBRIDGE_ENDED, reason) }
        }
    }

    private func tell(_ state: Int32, _ reason: String) {
        reason.withCString { functions.state?(functions.user_data, handle, state, $0) }
    }

    func participant(_ identity: String, joined: Bool) {
        post { me in
            identity.withCString { me.functions.participant?(me.functions.user_data, me.handle, $0, joined ? 1 : 0) }
        }
    }

    /// - Parameter done: it was told, or is not wanted any more.
    func level(_ level: Float, of identity: String, done: @escaping @Sendable () -> Void) {
        post(
            { me in
                identity.withCString { me.functions.audio_level?(me.functions.user_data, me.handle, $0, level) }
            }, done: done)
    }

    func data(_ message: DataMessage, of identity: String) {
        guard let tell = functions.data else { return }
        post { me in
            identity.withCString { identity in
                message.topic.withCString { topic in
                    message.bytes.withUnsafeBufferPointer {
                        tell(me.functions.user_data, me.handle, identity, topic, $0.baseAddress, $0.count)
                    }
                }
            }
        }
    }

    /// - Parameter done: the picture was shown, or is not wanted any more.
    func frame(_ frame: VideoFrame, of identity: String, done: @escaping @Sendable () -> Void) {
        post({ $0.show(frame, of: identity) }, done: done)
    }

    private func show(_ frame: VideoFrame, of identity: String) {
        guard let tell = functions.video_frame else { return }
        let time = Int64(frame.captureTime.nanoseconds) / 1_000
        frame.withPlanes { planes in
            var picture = callbridge_frame(
                y: planes.y, u: planes.u, v: planes.v, y_stride: Int32(planes.yStride),
                u_stride: Int32(planes.uStride), v_stride: Int32(planes.vStride), width: Int32(planes.width),
                height: Int32(planes.height), time_us: time)
            identity.withCString { tell(functions.user_data, handle, $0, &picture) }
        }
    }
}

/// Hands pictures on, one at a time: those that come while one is being shown are left out.
final class FrameSink: VideoSink {
    private let callbacks: Callbacks
    private let identity: String
    private let isBusy = Atomic(false)

    init(_ callbacks: Callbacks, _ identity: String) {
        self.callbacks = callbacks
        self.identity = identity
    }

    func receive(_ frame: VideoFrame) {
        guard !isBusy.exchange(true, ordering: .acquiringAndReleasing) else { return }
        callbacks.frame(frame, of: identity) { [self] in isBusy.store(false, ordering: .releasing) }
    }
}

/// Tells how loud a track is, ten times a second: what comes while one is being told is left out.
final class LevelSink: AudioSink {
    private static let window = AudioFrame.sampleRate / 10
    private let callbacks: Callbacks
    private let identity: String
    private let sum = Mutex((squares: 0.0, count: 0, frames: 0))
    private let isBusy = Atomic(false)

    init(_ callbacks: Callbacks, _ identity: String) {
        self.callbacks = callbacks
        self.identity = identity
    }

    func receive(_ frame: AudioFrame) {
        var squares = 0.0
        for sample in frame.samples { squares += Double(sample) * Double(sample) }
        let level: Float? = sum.withLock { sum in
            sum.squares += squares
            sum.count += frame.samples.count
            sum.frames += frame.frameCount
            guard sum.frames >= Self.window, sum.count > 0 else { return nil }
            defer { sum = (0, 0, 0) }
            return Float((sum.squares / Double(sum.count)).squareRoot() / 32_768)
        }
        guard let level, !isBusy.exchange(true, ordering: .acquiringAndReleasing) else { return }
        callbacks.level(level, of: identity) { [self] in isBusy.store(false, ordering: .releasing) }
    }
}
