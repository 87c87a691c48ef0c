import CCallBridge
import CallBridge
import MediaCore
import ProviderLiveKitLike
import ProviderOpenTokLike
import Synchronization

/// A call behind a handle.
final class ABICall: Sendable {
    private struct State {
        /// Nil until we are in it.
        var call: Call?
        /// We have left, or never want to be in it.
        var isLeft = false
        var published: [MediaKind: Track] = [:]
        /// Kinds that are being published, or are.
        var kinds: Set<MediaKind> = []
        var audio: PushedAudio?
        var video: PushedVideo?
    }

    /// The threads of all calls.
    static let engine = MediaEngine()

    let callbacks: Callbacks
    private let joining: Task<Call, any Error>
    /// What is to be done elsewhere when we are out: whether we have been in the call.
    private let isOut: @Sendable (Bool) async -> Void
    private let shared = Shared()

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private static let left = ABIError.state("we left before we were in the call")

    /// Begins to join the call that a descriptor names.
    convenience init(_ descriptor: CallDescriptor, _ callbacks: Callbacks) {
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [.liveKitLike, .openTokLike])
        configuration.engine = Self.engine
        configuration.logger.logLevel = .warning
        let bridge = CallBridge(configuration: configuration)
        self.init(callbacks) { try await bridge.join(descriptor) }
    }

    /// - Parameters:
    ///   - isOut: is told, once at least, when we have left or the call is over, and whether we have been in it.
    ///   - join: gives the call when we are in it.
    init(
        _ callbacks: Callbacks, isOut: @escaping @Sendable (Bool) async -> Void = { _ in },
        join: @escaping @Sendable () async throws -> Call
    ) {
        self.callbacks = callbacks
        self.isOut = isOut
        callbacks.state(CALLBRIDGE_CONNECTING)
        joining = Task { [shared] in
            do {
                let call = try await join()
                let isLeft = shared.state.withLock { state in
                    state.call = call
                    return state.isLeft
                }
                if isLeft {
                    await call.leave()
                    throw Self.left
                }
                let events = call.events
                Task {
                    for await event in events { ABICall.tell(event, callbacks) }
                    // Of a call whose end was not read, because events were lost, nothing more is known.
                    callbacks.ended("the call is over")
                    await isOut(true)
                }
                return call
            } catch {
                let known = Task.isCancelled ? Self.left : ABIError(error)
                callbacks.ended(known.message)
                throw known
            }
        }
    }

    private static func tell(_ event: CallEvent, _ callbacks: Callbacks) {
        switch event {
        case .stateChanged(.active): callbacks.state(CALLBRIDGE_CONNECTED)
        case .stateChanged(.reconnecting): callbacks.state(CALLBRIDGE_RECONNECTING)
        case .ended(_, let detail): callbacks.ended(detail)
        case .participantJoined(let participant): callbacks.participant(participant.identity, joined: true)
        case .participantLeft(let participant, _): callbacks.participant(participant.identity, joined: false)
        case .trackSubscribed(let remote, let track, let participant):
            // What nobody asks for is not decoded.
            if track.kind == .video, callbacks.wantsFrames {
                remote.attach(FrameSink(callbacks, participant.identity))
            } else if track.kind == .audio, callbacks.wantsLevels {
                remote.attach(LevelSink(callbacks, participant.identity))
            }
        case .dataReceived(let message, let sender): callbacks.data(message, of: sender?.identity ?? "")
        default: break
        }
    }

    // MARK: What C asks for

    func publish(_ kind: MediaKind, _ media: LocalMedia) throws {
        let isNew = shared.state.withLock { $0.kinds.insert(kind).inserted }
        guard isNew else { throw ABIError.state("a track of \(kind.rawValue) is published already") }
        do {
            let tracks = try inCall { try await $0.publish(media) }
            shared.state.withLock { $0.published[kind] = tracks.first }
        } catch {
            shared.state.withLock { _ = $0.kinds.remove(kind) }
            throw error
        }
    }

    func publishAudio(channels: Int) throws {
        let source = PushedAudio(channels: channels)
        try publish(.audio, .audio(name: "pushed") { source })
        shared.state.withLock { $0.audio = source }
    }

    func publishVideo(width: Int, height: Int, frameRate: Double) throws {
        let source = PushedVideo(width: width, height: height, frameRate: frameRate)
        let bitrate = Self.bitrate(width, height, frameRate)
        try publish(.video, .video(name: "pushed", bitrate: bitrate) { source })
        shared.state.withLock { $0.video = source }
    }

    func publishTestCard(width: Int, height: Int, frameRate: Double, sender: UInt16) throws {
        let format = LocalMedia.VideoFormat(
            width: width, height: height, frameRate: frameRate, bitrate: Self.bitrate(width, height, frameRate))
        try publish(.video, .testCard(format, sender: sender))
    }

    /// Bits a second for pictures of that size, within what encoders take.
    private static func bitrate(_ width: Int, _ height: Int, _ frameRate: Double) -> Int {
        min(50_000_000, max(150_000, Int(Double(width * height) * frameRate * 0.09)))
    }

    var audio: PushedAudio? { shared.state.withLock { $0.audio } }
    var video: PushedVideo? { shared.state.withLock { $0.video } }

    func setMuted(_ kind: MediaKind, _ isMuted: Bool) throws {
        guard let track = shared.state.withLock({ $0.published[kind] }) else {
            throw ABIError.state("no track of \(kind.rawValue) is published; publish one first")
        }
        try inCall { try await $0.setMuted(isMuted, track) }
    }

    func send(_ message: DataMessage, to identity: String?) throws {
        let identities = identity.map { [$0] } ?? []
        try inCall {
            try await $0.send(
                data: message.bytes, topic: message.topic, reliable: message.isReliable, to: identities)
        }
    }

    /// Returns when we are out of the call; who is not in it yet gives joining up.
    func leave() {
        let isOut = isOut
        guard let call = giveUp() else {
            callbacks.ended(Self.left.message)
            Task { await isOut(false) }
            return
        }
        try? blocking {
            await call.leave()
            await isOut(true)
        }
    }

    /// Leaves without waiting for it; tells nothing more.
    func destroy() {
        let (call, isOut) = (giveUp(), isOut)
        Task {
            await call?.leave()
            await isOut(call != nil)
        }
        callbacks.close()
    }

    /// The call where we are in it, or were; otherwise joining ends, now or when it would have come about.
    private func giveUp() -> Call? {
        let call = shared.state.withLock { state in
            state.isLeft = true
            return state.call
        }
        if call == nil { joining.cancel() }
        return call
    }

    /// Waits until we are in the call, and for what is done there. Throws `ABIError.state` where the call has ended.
    private func inCall<Value: Sendable>(_ body: @escaping @Sendable (Call) async throws -> Value) throws -> Value {
        let joining = joining
        return try blocking {
            let call = try await joining.value
            do { return try await body(call) } catch {
                guard await call.state == .ended else { throw error }
                throw ABIError.state(ABIError(error).message)
            }
        }
    }
}
