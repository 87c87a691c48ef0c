import CAllocations
import CallBridge
import MediaCore
import ProviderFake
import RTCSim
import Testing

/// An hour behind each network that has a name, through the real sessions and the real room, in virtual time.
@Suite struct HourOfWeatherTests {
    private func join(_ name: String, _ world: FakeWorld, _ clips: LongCallClips) async throws -> Call {
        let call = try await world.join(name, "weather")
        try await call.publish(track: LocalTrack(.encodedAudio(clips.sound.source())), source: .microphone)
        try await call.publish(track: LocalTrack(.encodedVideo(IVFSource(clips.pictures))), source: .camera)
        return call
    }

    @Test(.timeLimit(.minutes(10))) func anHourUnderEachProfileIsWholeAndBounded() async throws {
        try await Self.process.run("HourOfWeatherTests/theCallsThemselves")
    }

    private static let process = OwnProcess(mark: "CALLBRIDGE_HOUR_OF_WEATHER")

    @Test(.enabled(if: HourOfWeatherTests.process.isHere)) func theCallsThemselves() async throws {
        let clips = try LongCallClips(frequency: 440, turnMilliseconds: 12_000)
        for preset in NetworkProfile.presets { try await hour(preset, clips) }
    }

    private func hour(_ preset: NetworkProfile.Preset, _ clips: LongCallClips) async throws {
        let world = try FakeWorld(seed: 11)
        await world.setNetwork(delayMilliseconds: 5, jitterMilliseconds: 0)
        let (up, down) = (preset.profile.up.conditions, preset.profile.down.conditions)
        await world.setNetwork(up: up, down: down, of: "bob")
        let ada = try await join("ada", world, clips)
        let bob = try await join("bob", world, clips)
        let meters = [AudioMeter(), AudioMeter()]
        for (call, meter) in zip([ada, bob], meters) {
            await call.observe { event in
                if case .trackSubscribed(let remote, let track, _) = event, track.kind == .audio {
                    remote.attach(meter as any AudioSink)
                }
            }
        }
        await world.pass(milliseconds: 600_000)
        let early = heap_in_use()
        await world.pass(milliseconds: 3_000_000)
        let late = heap_in_use()
        for (call, meter) in zip([ada, bob], meters) {
            let received = await call.statistics().receivers
            let who = "\(preset.name), to \(call === ada ? "ada" : "bob")"
            let sound = try #require(received.first { $0.kind == .audio })
            let pictures = try #require(received.first { $0.kind == .video })
            print(
                "an hour of \(who): \(pictures.framesReceived) pictures, \(sound.sound.concealedSamples / 48) ms invented, "
                    + "wait \(sound.playoutDelayMilliseconds) ms, \(meter.measurement.dominantHz ?? 0) Hz, "
                    + "heap \(late - early)")
            #expect(await call.state == .active)
            #expect(pictures.framesReceived > 3_100, "of 3,600 pictures, \(who)")
            #expect(sound.playoutDelayMilliseconds < 600, "\(who)")
            // Stretched as the network asks for, it keeps its pitch.
            #expect(abs((meter.measurement.dominantHz ?? 0) - 440) < 4.4, "\(who)")
        }
        #expect(late - early < 4_000_000, "\(preset.name): the heap grew by \(late - early) bytes in 50 minutes")
        await ada.leave()
        await bob.leave()
        await world.close()
    }
}
