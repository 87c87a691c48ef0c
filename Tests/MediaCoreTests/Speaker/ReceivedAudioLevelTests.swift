import RTCCore
import RTCWire
import Testing

@testable import MediaCore

/// Whether a packet says its level decides where the level comes from, not what was negotiated.
@Suite struct ReceivedAudioLevelTests {
    private static let loud = [Int16](repeating: 16_384, count: 960)

    private func play(_ level: inout ReceivedAudioLevel, _ samples: [Int16] = loud) {
        samples.withUnsafeBufferPointer { level.note(played: $0) }
    }

    @Test func packetsThatSayTheirLevelAreBelieved() {
        var level = ReceivedAudioLevel()
        level.note(packet: AudioLevel(level: 40, voice: true))
        level.note(packet: AudioLevel(level: 30, voice: true))
        play(&level)
        #expect(level.take() == 30 && level.take() == nil)
    }

    @Test func barePacketsAreMeasured() {
        var level = ReceivedAudioLevel()
        play(&level)
        #expect(level.take() == nil, "nothing has come yet")
        level.note(packet: nil)
        play(&level)
        #expect(level.take() == 6)
        play(&level, [Int16](repeating: 0, count: 960))
        #expect(level.take() == 127)
    }

    @Test func itChangesFromPacketToPacket() {
        var level = ReceivedAudioLevel()
        level.note(packet: nil)
        level.note(packet: AudioLevel(level: 50, voice: true))
        play(&level)
        #expect(level.take() == 50)
        level.note(packet: nil)
        play(&level)
        #expect(level.take() == 6)
    }
}

/// Who speaks, from packets to the tracker, in virtual time: as long a way as a call's sound takes, without a network.
@Suite struct BarePacketSpeakerTests {
    /// One who speaks in turn, and the receiver of the sound.
    private struct Talker {
        let source: ScheduledAudioSource
        let encoder: OpusEncoder
        var receiver: AudioReceiver
    }

    private static let talkers = 3
    private static let turnSeconds = 3.0
    private static let turns = 10

    private func talker(_ index: Int) throws -> Talker {
        let voice = SpeechVoice.all[index % SpeechVoice.all.count]
        let speech = try SpeechSource("The quick brown fox jumps over the lazy dog.", voice: voice, pause: 0.1)
        let turns = stride(from: index, to: Self.turns, by: Self.talkers).map {
            ScheduledAudioSource.Turn(
                from: Double($0) * Self.turnSeconds, to: Double($0 + 1) * Self.turnSeconds - 0.25, speech)
        }
        let receiver = try AudioReceiver(
            RemoteTrack(kind: .audio, mid: "\(index)", streamID: "s", trackID: "t\(index)"),
            TrackNumber(line: index, serial: index), codecs: [], encryption: nil, settings: PlayoutSettings(),
            now: .zero)
        return Talker(
            source: try ScheduledAudioSource(turns: turns), encoder: try OpusEncoder(), receiver: receiver)
    }

    private func deliver(_ talker: inout Talker, _ number: Int, level: Bool, at now: Instant) throws {
        var frame = AudioFrame(samples: [Int16](repeating: 0, count: 960), channels: 1, time: .zero)
        talker.source.read(into: &frame)
        var packet = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
        let length = try frame.samples.withUnsafeBufferPointer { samples in
            try packet.withUnsafeMutableBytes { try talker.encoder.encode(samples, into: $0) }
        }
        var extensions = RTPExtensions()
        if level {
            extensions.audioLevel = frame.samples.withUnsafeBufferPointer {
                AudioLevel(level: PCMLevel.level($0), voice: true)
            }
        }
        let header = RTPHeader(
            marker: false, payloadType: 111, sequenceNumber: UInt16(truncatingIfNeeded: number),
            timestamp: UInt32(number * 960), ssrc: 7)
        let received = ReceivedRTP(
            header: header, extensions: extensions, line: 0, payload: 0..<length, sequence: Int64(number),
            isRetransmission: false, arrival: now)
        packet.withUnsafeBytes {
            talker.receiver.receive(
                received, payload: UnsafeRawBufferPointer(rebasing: $0[..<length]), into: SessionWork())
        }
    }

    /// The share of the speech with the right speaker, but for the first 400 ms of each turn.
    @Test(arguments: [false, true]) func theSpeakerIsRight(packetsSayLevels: Bool) throws {
        var talkers = try (0..<Self.talkers).map { try talker($0) }
        var tracker = ActiveSpeakerTracker<Int>()
        var scored = 0
        var right = 0
        for number in 0..<Int(Self.turnSeconds * Double(Self.turns) * 50) {
            let now = Instant.zero + .milliseconds(number * 20)
            for index in talkers.indices {
                try deliver(&talkers[index], number, level: packetsSayLevels, at: now)
                _ = talkers[index].receiver.play(now: now)
                if let level = talkers[index].receiver.takeLevel() { tracker.observe(index, level: level, at: now) }
            }
            tracker.advance(to: now)
            let second = Double(number) / 50
            let turn = Int(second / Self.turnSeconds)
            let within = second - Double(turn) * Self.turnSeconds
            guard within >= 0.4, within < Self.turnSeconds - 0.25 else { continue }
            scored += 1
            if tracker.active?.participant == turn % Self.talkers { right += 1 }
        }
        #expect(Double(right) / Double(scored) >= 0.95, "\(right) of \(scored)")
    }
}
