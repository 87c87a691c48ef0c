import Testing

@testable import MediaCore

/// Simulcast and end-to-end encryption over real sockets, without a server.
@Suite(.timeLimit(.minutes(10))) struct SessionSimulcastTests {
    /// Two connected sessions and what the second one was told.
    private struct Pair {
        let engine = MediaEngine()
        let sender: MediaSession
        let receiver: MediaSession

        init(_ change: (inout MediaSessionConfiguration, inout MediaSessionConfiguration) -> Void = { _, _ in })
            async throws
        {
            var (near, far) = (MediaSessionConfiguration(), MediaSessionConfiguration())
            far.isAnswerer = true
            change(&near, &far)
            sender = try await MediaSession(engine: engine, configuration: near)
            receiver = try await MediaSession(engine: engine, configuration: far)
        }

        func connect(answer change: (String) -> String = { $0 }) async throws {
            let offer = try await sender.createOffer()
            let answer = try await receiver.createAnswer(to: offer)
            try await sender.setAnswer(SessionDescription(kind: .answer, sdp: change(answer.sdp)))
            for (from, to) in [(sender, receiver), (receiver, sender)] {
                for await event in from.events {
                    guard case .localCandidate(let candidate) = event else { continue }
                    try await to.addRemoteCandidate(candidate)
                    break
                }
            }
        }

        func close() async {
            await sender.close()
            await receiver.close()
            await engine.shutdown()
        }

        /// Waits until the sender's layers fulfil a condition. Statistics are asked for until then.
        func layers(where isTrue: ([LayerStatistics]) -> Bool) async throws -> [LayerStatistics] {
            let clock = ContinuousClock()
            let limit = clock.now + .seconds(100)
            while clock.now < limit {
                let layers = await sender.statistics().senders.first?.layers ?? []
                if isTrue(layers) { return layers }
                await Task.yield()
            }
            Issue.record("the condition did not come true in 100 s")
            return []
        }
    }

    private static let layers = [
        VideoLayer(rid: "q", width: 160, height: 90, bitrate: 60_000, maximumFramesPerSecond: 15),
        VideoLayer(rid: "f", width: 640, height: 360, bitrate: 500_000),
        VideoLayer(rid: "h", width: 320, height: 180, bitrate: 160_000),
    ]

    private static func accepting(_ sdp: String) -> String {
        sdp + "a=rid:f recv\r\na=rid:h recv\r\na=rid:q recv\r\na=simulcast:recv f;h;q\r\n"
    }

    private func track() throws -> LocalTrack {
        LocalTrack(
            .video(try TestCardSource(sender: 7, width: 640, height: 360), VideoEncoding(layers: Self.layers)), id: "v")
    }

    @Test func threeLayersAndDynacast() async throws {
        let pair = try await Pair()
        let sender = try await pair.sender.addTrack(try track())
        let offer = try await pair.sender.createOffer().sdp
        #expect(offer.contains("a=rid:f send\r\na=rid:h send\r\na=rid:q send\r\na=simulcast:send f;h;q\r\n"))
        #expect(!offer.contains("a=ssrc"))
        try await pair.connect(answer: Self.accepting)
        let all = try await pair.layers { $0.count == 3 && $0.allSatisfy { $0.framesSent >= 12 } }
        #expect(all.map(\.rid) == ["f", "h", "q"])
        #expect(all.map(\.width) == [640, 320, 160] && all.map(\.height) == [360, 180, 90])
        // Against the clock, not against the other layers: a busy machine gives all of them fewer pictures.
        let clock = ContinuousClock()
        let begun = clock.now
        let first = try await pair.layers { _ in true }
        let counted = try await pair.layers { $0[0].framesSent > first[0].framesSent + 30 }
        let elapsed: Double = (clock.now - begun) / Duration.seconds(1)
        // What was late before is made up for, five pictures of it at the most.
        let bound = 15 * elapsed + 8
        #expect(Double(counted[2].framesSent - first[2].framesSent) <= bound)
        #expect(all.allSatisfy { $0.isActive && $0.keyFramesSent >= 1 })
        // The top layer's bytes stop; the others go on.
        await pair.sender.setActiveLayers(["q", "h"], of: sender)
        let h = all[1].framesSent
        var paused = try await pair.layers { $0[1].framesSent > h + 10 }
        var later = try await pair.layers { $0[1].framesSent > paused[1].framesSent + 10 }
        // A picture of it that was being encoded may still leave, late on a busy machine.
        if later[0].framesSent == paused[0].framesSent + 1 {
            paused = later
            later = try await pair.layers { $0[1].framesSent > paused[1].framesSent + 10 }
        }
        #expect(!later[0].isActive && later[0].bytesSent == paused[0].bytesSent)
        #expect(later[0].framesSent == paused[0].framesSent)
        #expect(later[2].framesSent > paused[2].framesSent)
        // It comes back with a key frame.
        await pair.sender.setActiveLayers(["q", "h", "f"], of: sender)
        let back = try await pair.layers { $0[0].framesSent > paused[0].framesSent }
        #expect(back[0].keyFramesSent > paused[0].keyFramesSent)
        // Too little for the two larger ones.
        await pair.sender.setTargetBitrate(80_000, of: sender)
        let squeezed = try await pair.layers { $0.map(\.isActive) == [false, false, true] }
        let on = try await pair.layers { $0[2].framesSent > squeezed[2].framesSent + 5 }
        let further = try await pair.layers { $0[2].framesSent > on[2].framesSent + 5 }
        #expect(further[0].bytesSent == on[0].bytesSent && further[1].bytesSent == on[1].bytesSent)
        await pair.close()
    }

    @Test func aPeerWithoutSimulcastGetsTheLargestLayer() async throws {
        let pair = try await Pair()
        _ = try await pair.sender.addTrack(try track())
        try await pair.connect()
        let layers = try await pair.layers { $0.first.map { $0.framesSent > 5 } ?? false }
        #expect(layers.map(\.rid) == [""] && layers[0].width == 640)
        await pair.close()
    }

    @Test func impossibleLayersAreNamed() async throws {
        let pair = try await Pair()
        var twice = Self.layers
        twice[1].rid = "q"
        for layers in [twice, Self.layers + Self.layers, [VideoLayer(rid: "q", width: 0, height: 9, bitrate: 60_000)]] {
            let source = try TestCardSource(sender: 7, width: 640, height: 360)
            let track = LocalTrack(.video(source, VideoEncoding(layers: layers)))
            await #expect(throws: MediaError.self) { try await pair.sender.addTrack(track) }
        }
        await pair.close()
    }

    @Test(arguments: [true, false]) func encryptedTracksNeedTheKey(isRight: Bool) async throws {
        var options = FrameEncryption.Options()
        options.derivation = .hkdf
        let pair = try await Pair { near, far in
            near.frameEncryption = FrameEncryption(sharedKey: "right", options: options)
            far.frameEncryption = FrameEncryption(sharedKey: isRight ? "right" : "wrong", options: options)
        }
        let card = try TestCardSource(sender: 7, width: 320, height: 180)
        _ = try await pair.sender.addTrack(LocalTrack(.video(card, .init()), id: "card"))
        var sound = AudioEncoding()
        sound.red = true
        _ = try await pair.sender.addTrack(LocalTrack(.audio(ToneSource(frequency: 440), sound), id: "tone"))
        let offer = try await pair.sender.createOffer()
        #expect(!offer.sdp.contains("red/48000"))
        let answer = try await pair.receiver.createAnswer(to: offer)
        try await pair.sender.setAnswer(answer)
        var tracks = 0
        var candidates = 0
        let meter = AudioMeter()
        for await event in pair.receiver.events {
            switch event {
            case .localCandidate(let candidate):
                try await pair.sender.addRemoteCandidate(candidate)
                candidates += 1
            case .trackAdded(let track):
                track.protection = .encrypted(participant: "ada")
                if track.kind == .audio { track.attach(meter) }
                tracks += 1
            default: break
            }
            if tracks == 2, candidates == 1 { break }
        }
        let clock = ContinuousClock()
        let limit = clock.now + .seconds(100)
        var receivers: [ReceiverStatistics] = []
        while clock.now < limit {
            receivers = await pair.receiver.statistics().receivers
            let counts = receivers.map { isRight ? $0.framesDecoded : $0.framesUndecryptable }
            if counts.count == 2, counts.allSatisfy({ $0 > 20 }) { break }
            await Task.yield()
        }
        for receiver in receivers {
            #expect(isRight ? receiver.framesDecoded > 20 : receiver.framesUndecryptable > 0)
            #expect(isRight ? receiver.framesUndecryptable == 0 : receiver.framesDecoded == 0)
        }
        if isRight {
            let hertz = try #require(meter.measurement.dominantHz)
            #expect(abs(hertz - 440) < 5)
        } else {
            #expect(meter.measurement.rms == 0)
        }
        await pair.close()
    }
}
