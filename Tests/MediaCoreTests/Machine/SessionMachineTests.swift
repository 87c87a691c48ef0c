import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import MediaCore

/// The agent's media as a value, in virtual time: with the real codecs, over ICE, DTLS and SRTP, and a seeded network.
@Suite struct SessionMachineTests {
    private static func tone() throws -> LocalTrack {
        LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding()), id: "tone")
    }

    private static func card(_ layers: [VideoLayer] = []) throws -> LocalTrack {
        let source = try TestCardSource(sender: 3, width: 320, height: 180, frameRate: 15)
        return LocalTrack(.video(source, VideoEncoding(bitrate: 300_000, layers: layers)), id: "card")
    }

    /// A pair in which Ada sends the tracks.
    private func call(
        _ tracks: [LocalTrack], _ conditions: NetworkConditions = NetworkConditions(delay: .milliseconds(10)),
        configure: (inout MediaSessionConfiguration, _ isAda: Bool) -> Void = { _, _ in }
    ) throws -> (MachinePair, [MediaSession.Sender]) {
        let pair = try MachinePair(conditions, configure: configure)
        let senders = try tracks.map { track in
            try pair.perform(pair.ada) { machine, _, _ in try machine.addTrack(track, streamID: "ada") }
        }
        try pair.negotiate()
        try #require(pair.connect())
        return (pair, senders)
    }

    @Test func soundAndPicturesArrive() throws {
        let (pair, _) = try call([try Self.tone(), try Self.card()])
        #expect(pair.bob.tracks.map(\.trackID) == ["tone", "card"])
        let meter = AudioMeter()
        let cards = TestCardSink()
        for track in pair.bob.tracks {
            track.attach(meter as any AudioSink)
            track.attach(cards as any VideoSink)
        }
        pair.pass(seconds: 10)
        let (sent, received) = (pair.statistics(pair.ada), pair.statistics(pair.bob))
        #expect((495...501).contains(sent.senders[0].framesSent))
        #expect((148...151).contains(sent.senders[1].framesSent))
        #expect(received.receivers[0].concealedMilliseconds == 0 && received.receivers[0].playedMilliseconds > 9_800)
        let pictures = received.receivers[1]
        #expect(pictures.framesDecoded >= 147, "of \(pictures.framesReceived), dropped \(pictures.framesDropped)")
        #expect(pictures.freezes == 0)
        #expect(cards.report.missing == 0 && cards.report.outOfOrder == 0)
    }

    /// A host behind a name is handed out, with its generation; other names are nobody's affair.
    @Test func namesOfTheLocalNetworkAreHandedOut() throws {
        let (pair, _) = try call([try Self.tone()])
        let hidden = "candidate:1 1 udp 1 0A1B2C3D-4e5f-4678-9abc-def012345678.local 5000 typ host"
        for text in [
            hidden, "candidate:2 1 udp 1 printer.local 5000 typ host", "candidate:3 1 udp 1 a.example 9 typ host",
        ] {
            pair.perform(pair.ada) { machine, now, out in
                machine.addRemoteCandidate(SessionCandidate(candidate: text), now: now, into: out)
            }
        }
        let found: [ICECandidate] = pair.ada.events.compactMap {
            if case .hiddenCandidate(let candidate) = $0 { candidate } else { nil }
        }
        #expect(found.map(\.foundation) == ["1"])
        let (ufrag, ignored) = pair.perform(pair.ada) { machine, _, _ in
            (machine.peer.remoteCredentials?.ufrag, machine.peer.iceStatistics.ignoredCandidates.hostName)
        }
        #expect(found.first?.ufrag == ufrag && ufrag != nil)
        #expect(ignored == 2)
    }

    @Test func lossIsRepaired() throws {
        var conditions = NetworkConditions(delay: .milliseconds(20), jitter: .milliseconds(5))
        conditions.loss = 0.05
        let (pair, _) = try call([try Self.card()], conditions)
        pair.pass(seconds: 30)
        let received = try #require(pair.statistics(pair.bob).receivers.first)
        #expect(received.nacksSent > 0 && received.packetsRecovered > 0)
        #expect(received.framesDecoded >= 440)
        #expect(try #require(pair.statistics(pair.ada).senders.first).packetsRetransmitted > 0)
    }

    /// The same call twice makes the same weather, and the same counts of what is ours to count.
    @Test func theSameSeedMakesTheSameCall() throws {
        func counts() throws -> [Int] {
            var conditions = NetworkConditions(delay: .milliseconds(20), jitter: .milliseconds(5))
            conditions.loss = 0.1
            let clip = try OpusClip(ToneSource(frequency: 300), milliseconds: 200)
            let (pair, _) = try call([LocalTrack(.encodedAudio(clip.source()), id: "clip")], conditions)
            pair.pass(seconds: 20)
            let received = pair.statistics(pair.bob).receivers[0]
            return [received.packetsReceived, received.packetsLost, received.framesDecoded]
        }
        let first = try counts()
        #expect(first[1] > 0)
        #expect(try counts() == first)
    }

    @Test func whoIsMutedSendsNothingAndComesBackWithAKeyFrame() throws {
        let track = try Self.card()
        let (pair, _) = try call([track])
        pair.pass(seconds: 2)
        track.isMuted = true
        pair.pass(seconds: 0.2)
        let muted = pair.statistics(pair.ada).senders[0]
        pair.pass(seconds: 3)
        #expect(pair.statistics(pair.ada).senders[0].framesSent == muted.framesSent)
        track.isMuted = false
        pair.pass(seconds: 1)
        let after = pair.statistics(pair.ada).senders[0]
        #expect(after.framesSent > muted.framesSent)
        #expect(after.layers[0].keyFramesSent == muted.layers[0].keyFramesSent + 1)
    }

    @Test func removedTracksEndOnBothSides() throws {
        let (pair, senders) = try call([try Self.tone(), try Self.card()])
        pair.pass(seconds: 1)
        try pair.perform(pair.ada) { machine, now, out in
            try machine.removeTrack(senders[0], now: now, into: out)
        }
        try pair.negotiate()
        pair.pass(seconds: 1)
        #expect(pair.bob.tracks.map(\.trackID) == ["card"])
        let received = pair.statistics(pair.bob)
        #expect(received.receivers.map(\.trackID) == ["card"] && received.endedReceivers.map(\.trackID) == ["tone"])
        #expect(throws: SessionError.self) {
            try pair.perform(pair.ada) { machine, now, out in
                try machine.removeTrack(MediaSession.Sender(mid: "none", line: 9), now: now, into: out)
            }
        }
    }

    /// A stream that comes back begins with a key frame; one that is off costs no picture.
    @Test func layersAreSentAsTheyAreWanted() throws {
        let layers = [
            VideoLayer(rid: "h", width: 320, height: 180, bitrate: 300_000),
            VideoLayer(rid: "q", width: 160, height: 90, bitrate: 100_000),
        ]
        // Bob's answer takes no simulcast: one stream, of the largest layer's size.
        let (pair, senders) = try call([try Self.card(layers)])
        pair.pass(seconds: 1)
        pair.perform(pair.ada) { machine, _, _ in machine.setActiveLayers([], of: senders[0]) }
        pair.pass(seconds: 0.2)
        let off = pair.statistics(pair.ada).senders[0]
        #expect(off.layers.map(\.isActive) == [false] && off.layers[0].width == 320)
        pair.pass(seconds: 2)
        #expect(pair.statistics(pair.ada).senders[0].framesSent == off.framesSent)
        pair.perform(pair.ada) { machine, _, _ in machine.setActiveLayers([""], of: senders[0]) }
        pair.pass(seconds: 1)
        let on = pair.statistics(pair.ada).senders[0]
        #expect(on.framesSent > off.framesSent)
        #expect(on.layers[0].keyFramesSent == off.layers[0].keyFramesSent + 1)
    }

    @Test func countedMediaIsRepairedAndNotDecoded() throws {
        var conditions = NetworkConditions(delay: .milliseconds(20))
        conditions.loss = 0.03
        let (pair, _) = try call([try Self.tone(), try Self.card()], conditions) { configuration, isAda in
            if !isAda { configuration.reception = .counted }
        }
        pair.pass(seconds: 10)
        let received = pair.statistics(pair.bob).receivers
        #expect(received[0].framesReceived > 450 && received[0].framesDecoded == 0)
        #expect(received[1].framesReceived >= 145 && received[1].framesDecoded == 0)
        #expect(received[1].packetsRecovered > 0)
        let reports = pair.bob.events.filter { if case .session(.audioLevels) = $0 { true } else { false } }
        #expect(reports.isEmpty)
    }

    @Test func closingTellsTheOtherSide() throws {
        let (pair, _) = try call([try Self.tone()])
        pair.perform(pair.ada) { machine, now, out in machine.close(now: now, into: out) }
        pair.pass(seconds: 1)
        func isClosed(_ end: MachinePair.End) -> Bool {
            end.events.contains { if case .session(.stateChanged(.closed)) = $0 { true } else { false } }
        }
        #expect(isClosed(pair.ada) && isClosed(pair.bob))
        #expect(pair.ada.nextDeadline == nil)
        #expect(pair.statistics(pair.ada).senders.isEmpty)
    }

    @Test func anHourOfSoundDoesNotDrift() throws {
        let clip = try OpusClip(ToneSource(frequency: 300), milliseconds: 200)
        let (pair, _) = try call([LocalTrack(.encodedAudio(clip.source()), id: "clip")]) { configuration, isAda in
            if !isAda { configuration.reception = .counted }
        }
        let before = pair.statistics(pair.bob).receivers[0].framesReceived
        pair.pass(seconds: 600)
        let after = pair.statistics(pair.bob).receivers[0]
        #expect((29_999...30_001).contains(after.framesReceived - before))
        #expect(after.packetsLost == 0)
    }
}
