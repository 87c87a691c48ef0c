import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// What is asked for again while a queue stands on the way.
@Suite struct PeerQueueTests {
    /// A sender that doesn't care what passes, over half of what it sends and a queue of 200 ms.
    private func overrun(seed: UInt64, knowsDelays: Bool) throws -> PeerCall {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20)), seed: seed)
        call.takesReceiverEstimate = knowsDelays
        try call.connect()
        call.talk(for: .seconds(3), tail: .zero, both: false)
        var narrow = NetworkConditions(delay: .milliseconds(20))
        narrow.rate = 400_000
        narrow.queue = .milliseconds(200)
        call.simulation.network.set(narrow, from: call.pair.alice.address, to: call.pair.bob.address)
        call.talk(for: .seconds(5), both: false)
        return call
    }

    /// A repetition of sound would be late, and is half of what keeps the queue full; pictures are asked for again only when
    /// an answer can have come through the queue.
    @Test(arguments: [1, 2, 3] as [UInt64]) func aFullQueueIsNotFilledWithRepetitions(seed: UInt64) throws {
        var sound: [Bool: Int] = [:]
        var pictures: [Bool: Int] = [:]
        for knowsDelays in [false, true] {
            let call = try overrun(seed: seed, knowsDelays: knowsDelays)
            let lost = call.alice.audioSent - UInt64(Set(call.bob.audio).count)
            #expect(lost > 40, "sound is dropped as well")
            sound[knowsDelays] = call.alice.sent(call.alice.audioSSRC)?.retransmitted
            pictures[knowsDelays] = call.bob.received(call.alice.videoSSRC)?.nacksSent
        }
        print("seed \(seed), without and with delays: sound repeated \(sound), pictures asked for \(pictures)")
        #expect(try #require(sound[true]) * 8 < (try #require(sound[false])))
        #expect(try #require(pictures[true]) < (try #require(pictures[false])))
    }

    /// What is lost where nothing waits is asked for as ever.
    @Test(arguments: [1, 2, 3] as [UInt64]) func lossesWithoutAQueueAreMended(seed: UInt64) throws {
        let conditions = NetworkConditions(delay: .milliseconds(40), jitter: .milliseconds(20), loss: 0.05)
        let call = try PeerCall(conditions, seed: seed)
        call.takesReceiverEstimate = true
        try call.connect()
        call.talk(for: .seconds(10), both: false)
        let (audio, video) = (Set(call.bob.audio).count, Set(call.bob.video).count)
        #expect(Double(audio) > 0.995 * Double(call.alice.audioSent))
        #expect(Double(video) > 0.995 * Double(call.alice.videoSent))
    }
}
