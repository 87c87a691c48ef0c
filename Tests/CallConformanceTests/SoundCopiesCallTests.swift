import CallBridge
import MediaCore
import ProviderFake
import RTCSim
import Testing

/// Sound through the real sessions and the real room, in virtual time, to one who loses a tenth of it in bursts.
@Suite struct SoundCopiesCallTests {
    /// Its sender knows nothing of the losses, for its own way is clean: the server adds the copies.
    @Test(arguments: [1, 2, 3] as [UInt64]) func whoLosesATenthHearsNearlyAll(seed: UInt64) async throws {
        let world = try FakeWorld(seed: seed)
        await world.setNetwork(delayMilliseconds: 1, jitterMilliseconds: 0)
        var way = NetworkConditions(delay: .milliseconds(50), jitter: .milliseconds(30))
        way.bursts = .init(meanGood: .milliseconds(270), meanBad: .milliseconds(30))
        await world.setNetwork(up: way, down: way, of: "bob")
        let ada = try await world.join("ada", "copies")
        let bob = try await world.join("bob", "copies")
        try await ada.publish(
            track: LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding())), source: .microphone)
        let card = try TestCardSource(sender: 1, width: 160, height: 90, frameRate: 15)
        try await ada.publish(track: LocalTrack(.video(card, VideoEncoding(bitrate: 150_000))), source: .camera)
        await world.pass(milliseconds: 60_000)
        let heard = try #require(await bob.statistics().receivers.first { $0.kind == .audio })
        #expect(heard.packetsLost > 200, "the network loses too little")
        // Of what is asked for again all comes, but later than it is worth waiting for: 230 ms without copies.
        #expect(heard.packetsRecovered > heard.packetsLost * 9 / 10)
        #expect(heard.packetsRebuilt > heard.packetsLost / 2)
        #expect(heard.playoutDelayMilliseconds < 190)
        #expect(heard.sound.concealedSamples / 48 < 2_600)
        await ada.leave()
        await bob.leave()
        await world.close()
    }
}
