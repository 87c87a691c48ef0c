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

    /// The socket may have been dead: what no answered ping follows is said again, before what has waited.
    @Test func whatIsNotConfirmedIsSaidAgain() {
        var queue = SignalQueue()
        _ = queue.open()
        func say(_ sid: String) { _ = queue.admit(.with { $0.mute.sid = sid }) }
        func ping(_ time: Int64) { _ = queue.admit(.with { $0.pingReq.timestamp = time }) }
        func pong(_ time: Int64) { queue.confirm(.with { $0.lastPingTimestamp = time }) }
        say("a")
        ping(1)
        say("b")
        ping(2)
        say("c")
        pong(1)
        pong(7)
        queue.close()
        say("d")
        #expect(queue.waiting.map(\.mute.sid) == ["b", "c", "d"])
        queue.beginResuming()
        ping(3)
        // The socket is lost again before the resume is complete.
        queue.close()
        #expect(queue.waiting.map(\.mute.sid) == ["b", "c", "d"])
        queue.beginResuming()
        ping(4)
        pong(4)
        let resumed = queue.open()
        #expect(resumed.map(\.mute.sid) == ["b", "c", "d"] && queue.waiting.isEmpty)
        // They were said on a new socket, which may be dead, too.
        queue.close()
        #expect(queue.waiting.map(\.mute.sid) == ["b", "c", "d"])
        _ = queue.open()
        ping(5)
        pong(5)
        #expect(queue.unconfirmed.isEmpty)
    }

    /// Tracks and metadata have their own ways to be said again.
    @Test func onlyWhatDoesNoHarmTwiceIsSaidAgain() {
        var queue = SignalQueue()
        _ = queue.open()
        for (message, _) in Self.messages { _ = queue.admit(Self.request(message)) }
        queue.close()
        #expect(
            queue.waiting == [
                Self.request(.mute(.init())), Self.request(.subscription(.init())),
                Self.request(.trackSetting(.init())), Self.request(.updateAudioTrack(.init())),
                Self.request(.updateVideoTrack(.init())),
            ])
    }

    @Test func whatIsNotConfirmedIsBounded() {
        var queue = SignalQueue()
        _ = queue.open()
        for number in 0..<500 { _ = queue.admit(.with { $0.mute.sid = "\(number)" }) }
        #expect(queue.unconfirmed.count == SignalQueue.unconfirmedCapacity)
        queue.close()
        #expect(queue.waiting.first?.mute.sid == "436" && queue.waiting.last?.mute.sid == "499")
        queue.forgetSession()
        #expect(queue.waiting.isEmpty)
    }

    @Test func theQueueIsBounded() {
        var queue = SignalQueue()
        for number in 0..<5000 { _ = queue.admit(.with { $0.mute.sid = "\(number)" }) }
        #expect(queue.waiting.count == SignalQueue.capacity)
        #expect(queue.waiting.last?.mute.sid == "4999", "the oldest go first")
    }
}
