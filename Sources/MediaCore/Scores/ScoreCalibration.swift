import RTCWire

/// Measures what the full-reference score says of speech through Opus and the jitter buffer, in virtual time: what its
/// scale was made from, and what documents it.
package struct ScoreCalibration: Sendable {
    /// Seconds of speech for each measurement.
    package var seconds: Double
    /// A voice, a text and losses each.
    package var seeds: Range<UInt64>
    /// Bits per second.
    package var bitrate: Int

    package init(seconds: Double = 20, seeds: Range<UInt64> = 1..<9, bitrate: Int = 32_000) {
        self.seconds = seconds
        self.seeds = seeds
        self.bitrate = bitrate
    }

    /// What losses did, over all seeds.
    package struct Row: Sendable, Hashable {
        /// Percent of packets, at random.
        package var loss: Double
        package var mean = 0.0
        package var lowest = 5.0
        package var highest = 1.0
        package var disturbance = 0.0
        /// What the E-model says of the same playout, at 100 ms.
        package var model = 0.0
    }

    /// What is done to a packet or to sound, for the table of what the score reacts to.
    package struct Harm: Sendable, Hashable {
        package var name: String
        package var score: Double
    }

    private static let texts = [
        "The quick brown fox jumps over the lazy dog. Then it sleeps, and the dog wonders what to do next.",
        "Good morning everybody, this is the weekly meeting. Let us begin with the open questions.",
        "Seven ships sailed south in September, while we watched the white waves roll in.",
        "I would rather wait until Thursday. By then the second delivery has come, and nobody needs to hurry.",
    ]

    /// The speech of a seed.
    package func speech(_ seed: UInt64) throws(MediaError) -> [Int16] {
        let source = try SpeechSource(
            Self.texts[Int(seed % UInt64(Self.texts.count))], voice: .numbered(Int(seed % 64)))
        var samples = [Int16](repeating: 0, count: Int(seconds * 48_000))
        _ = samples.withUnsafeMutableBufferPointer { source.read(into: $0) }
        return samples
    }

    /// Measures each loss, percent, with each seed. What is lost at one loss is lost at any higher one too.
    package func rows(losses: [Double]) throws -> [Row] {
        var rows = losses.map { Row(loss: $0) }
        let share = 1 / Double(seeds.count)
        for seed in seeds {
            let said = try speech(seed)
            let packets = try coded(said)
            let reference = ReferenceSound(said)
            for index in rows.indices {
                let (heard, counted) = try play(packets, loss: rows[index].loss / 100, seed: seed)
                let opinion = ReferenceScore.opinion(of: heard, reference)
                rows[index].mean += share * opinion.score
                rows[index].disturbance += share * opinion.disturbance
                rows[index].lowest = min(rows[index].lowest, opinion.score)
                rows[index].highest = max(rows[index].highest, opinion.score)
                rows[index].model += share * Self.model(counted)
            }
        }
        return rows
    }

    private static func model(_ counted: AudioPlayoutStatistics) -> Double {
        let share = Double(counted.concealedSamples) / Double(max(counted.totalSamples, 1))
        let length = Double(counted.concealedSamples) / Double(max(counted.concealmentEvents, 1)) / 960
        return AudioOpinion(
            concealedShare: share, burstRatio: length * (1 - share), delayMilliseconds: 100
        ).score
    }

    /// 20 ms each, as the agent sends them: with copies for losses that are expected.
    private func coded(_ samples: [Int16]) throws -> [[UInt8]] {
        let encoder = try OpusEncoder(OpusEncoderConfiguration(channels: 1, bitrate: bitrate))
        var buffer = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
        return try stride(from: 0, to: samples.count - 959, by: 960).map { start in
            let length = try samples.withUnsafeBufferPointer { samples in
                try buffer.withUnsafeMutableBytes {
                    try encoder.encode(UnsafeBufferPointer(rebasing: samples[start..<(start + 960)]), into: $0)
                }
            }
            return Array(buffer[..<length])
        }
    }

    /// Through a network that loses at random and holds packets up for up to 15 ms, and the jitter buffer.
    private func play(
        _ packets: [[UInt8]], loss: Double, seed: UInt64
    ) throws -> (heard: [Int16], counted: AudioPlayoutStatistics) {
        var random = TraceRandom(seed: seed)
        // What a stream's beginning costs is none of the loss's.
        let buffer = AudioJitterBuffer(decoder: try OpusDecoder(channels: 1), configuration: .settled)
        var arrivals: [(index: Int, time: Instant)] = []
        for index in packets.indices {
            let chance = Double(random.float(0, 1))
            let delay = 0.02 + Double(random.float(0, 0.015))
            if chance >= loss { arrivals.append((index, .zero + .seconds(1 + Double(index) * 0.02 + delay))) }
        }
        var heard: [Int16] = []
        var frame = [Int16](repeating: 0, count: 480)
        var next = 0
        var now = Instant.zero + .seconds(1)
        let end = now + .seconds(Double(packets.count) * 0.02)
        while now < end {
            while next < arrivals.count, arrivals[next].time <= now {
                let index = arrivals[next].index
                packets[index].withUnsafeBytes {
                    buffer.insert(
                        $0, timestamp: UInt32(truncatingIfNeeded: index * 960), sequence: Int64(index), ssrc: 7,
                        arrival: arrivals[next].time)
                }
                next += 1
            }
            let kind = frame.withUnsafeMutableBufferPointer { buffer.pull(frames: 480, now: now, into: $0) }
            heard += kind == .buffering ? [Int16](repeating: 0, count: 480) : frame
            now += .milliseconds(10)
        }
        return (heard, buffer.statistics)
    }

    /// What else is done to speech, and what the score makes of it: the mean over the seeds.
    package func harms() throws -> [Harm] {
        var sums: [Harm] = []
        for seed in seeds {
            let said = try speech(seed)
            let reference = ReferenceSound(said)
            let (clean, _) = try play(try coded(said), loss: 0, seed: seed)
            let other = try speech(seed + 1)
            let sounds = [(name: "the same samples", heard: said)] + Self.changes(clean, other: other)
            for (index, sound) in sounds.enumerated() {
                let score = ReferenceScore.opinion(of: sound.heard, reference).score / Double(seeds.count)
                if index == sums.count { sums.append(Harm(name: sound.name, score: 0)) }
                sums[index].score += score
            }
        }
        return sums
    }

    private static func changes(_ clean: [Int16], other: [Int16]) -> [(name: String, heard: [Int16])] {
        func silence(_ count: Int) -> [Int16] { [Int16](repeating: 0, count: count) }
        let half = clean.count / 2
        let louder = clean.map { Int16(clamping: Int32($0) * 2) }
        var result: [(name: String, heard: [Int16])] = []
        result.append(("coded, no loss", clean))
        result.append(("12 dB quieter", clean.map { $0 / 4 }))
        result.append(("6 dB louder", louder))
        result.append(("203 ms later", silence(9_744) + clean))
        result.append(("100 ms of silence put in each second", broken(clean, silence: 4_800, inserted: true)))
        result.append(("100 ms of each second silent", broken(clean, silence: 4_800, inserted: false)))
        result.append(("clipped at an eighth of the peak", clipped(clean)))
        result.append(("half of it silent", Array(clean[..<half]) + silence(clean.count - half)))
        result.append(("somebody else's speech", other))
        result.append(("silence", silence(clean.count)))
        return result
    }

    private static func clipped(_ samples: [Int16]) -> [Int16] {
        let limit = Int16((samples.map { abs(Int32($0)) }.max() ?? 0) / 8)
        return samples.map { min(max($0, -limit), limit) }
    }

    private static func broken(_ samples: [Int16], silence: Int, inserted: Bool) -> [Int16] {
        stride(from: 0, to: samples.count, by: 48_000).flatMap { start -> [Int16] in
            let gap = [Int16](repeating: 0, count: silence)
            let end = min(start + 48_000, samples.count)
            return gap + samples[min(start + (inserted ? 0 : silence), end)..<end]
        }
    }
}

extension ReferenceScore {
    /// The opinion of a whole recording that begins with its source or up to three seconds later.
    package static func opinion(of heard: [Int16], _ reference: ReferenceSound) -> ReferenceOpinion {
        var score = ReferenceScore(reference, place: .behind(seconds: 3))
        score.append(heard)
        return score.opinion ?? ReferenceOpinion(disturbance: 1, comparedSeconds: 0)
    }
}
