import LiveKitProtocol
import Testing

@testable import ProviderLiveKitLike

/// What is said while there is no socket.
@Suite struct SignalQueueTests {
    /// Every message that a client can send, and whether it means something on the next socket.
    private static let messages: [(Livekit_SignalRequest.OneOf_Message, Bool)] = [
        (.offer(.init()), false), (.answer(.init()), false), (.trickle(.init()), false), (.addTrack(.init()), true),
        (.mute(.init()), true), (.subscription(.init()), true), (.trackSetting(.init()), true),
        (.leave(.init()), false), (.subscriptionPermission(.init()), true), (.syncState(.init()), false),
        (.simulate(.init()), false), (.ping(1), false), (.pingReq(.init()), false), (.updateMetadata(.init()), true),
        (.updateAudioTrack(.init()), true), (.updateVideoTrack(.init()), true),
    ]

    private static func request(_ message: Livekit_SignalRequest.OneOf_Message) -> Livekit_SignalRequest {
        .with { $0.message = message }
    }

    @Test func keptAreAllButWhatBelongsToOneSocket() {
        for (message, isKept) in Self.messages {
            var queue = SignalQueue()
            let passes = queue.admit(Self.request(message))
            #expect(!passes, "there is no socket")
            #expect(queue.waiting.count == (isKept ? 1 : 0), "\(message)")
        }
    }

    @Test func whileResumingOnlyTheSocketsOwnPasses() {
        for (message, isKept) in Self.messages {
            var queue = SignalQueue()
            queue.beginResuming()
            let passes = queue.admit(Self.request(message))
            #expect(passes == !isKept, "\(message)")
        }
    }

    @Test func theOrderStays() {
        var queue = SignalQueue()
        for sid in ["a", "b", "c"] { _ = queue.admit(.with { $0.mute.sid = sid }) }
        queue.beginResuming()
        _ = queue.admit(.with { $0.mute.sid = "d" })
        let waiting = queue.open()
        #expect(waiting.map(\.mute.sid) == ["a", "b", "c", "d"])
        let rest = queue.open()
        #expect(rest.isEmpty)
        let passes = queue.admit(.with { $0.mute.sid = "e" })
        #expect(passes)
    }

    @Test func aNewSessionHearsOnlyOfOurselves() {
        var queue = SignalQueue()
        for (message, _) in Self.messages { _ = queue.admit(Self.request(message)) }
        queue.forgetSession()
        let waiting = queue.open()
        #expect(waiting == [Self.request(.updateMetadata(.init()))])
    }

    @Test func theQueueIsBounded() {
        var queue = SignalQueue()
        for number in 0..<5000 { _ = queue.admit(.with { $0.mute.sid = "\(number)" }) }
        #expect(queue.waiting.count == SignalQueue.capacity)
        #expect(queue.waiting.last?.mute.sid == "4999", "the oldest go first")
    }
}
