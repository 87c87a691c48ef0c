import RTCWire

/// From script to levels.
extension SpeakerTrace {
    private static let tick = Interval.milliseconds(20)

    /// How one talker sounds. Loudness in dBov.
    private struct Voice {
        var loudness: Float
        var noise: Float
        /// How long after the full slot this talker's packets come.
        var phase: Interval
    }

    mutating func render(_ random: inout TraceRandom) {
        let voices = (0..<talkers).map { _ in
            Voice(
                loudness: random.float(-36, -18),
                noise: random.chance(0.2) ? random.float(-54, -46) : random.float(-85, -55),
                phase: random.interval(0, 0.015))
        }
        var levels = voices.map { voice in noise(voice.noise, &random) }
        for turn in turns { speak(turn, voices[turn.talker].loudness, &levels[turn.talker], &random) }
        let clean = levels
        for cough in coughs { burst(cough, random.float(-26, -10), &levels[cough.talker], &random) }
        addClicks(&levels, &random)
        addCrosstalk(of: clean, &levels, &random)
        emit(levels, voices, &random)
    }

    private func index(_ time: Interval) -> Int { Int(time.nanoseconds / Self.tick.nanoseconds) }

    private func noise(_ level: Float, _ random: inout TraceRandom) -> [Float] {
        (0..<index(duration)).map { _ in level + random.float(-1.5, 1.5) }
    }

    /// Syllables of 120 to 260 ms with dips between them, and a pause every one or two seconds.
    private func speak(_ turn: Stretch, _ loudness: Float, _ levels: inout [Float], _ random: inout TraceRandom) {
        var time = turn.start
        var breath = time + random.interval(0.8, 2.5)
        while time < turn.end {
            let syllable = random.interval(0.1, 0.22)
            let peak = loudness + random.float(-5, 3)
            fill(time, min(time + syllable, turn.end), peak, 3, &levels, &random)
            time = time + syllable
            let dip = random.interval(0.02, 0.06)
            fill(time, min(time + dip, turn.end), peak - random.float(6, 22), 2, &levels, &random)
            time = time + dip
            guard time > breath else { continue }
            time = time + random.interval(0.08, 0.35)
            breath = time + random.interval(0.8, 2.5)
        }
    }

    private func burst(_ cough: Stretch, _ loudness: Float, _ levels: inout [Float], _ random: inout TraceRandom) {
        fill(cough.start, cough.end, loudness, 4, &levels, &random)
    }

    /// Keys, cups and doors: 20 to 40 ms.
    private func addClicks(_ levels: inout [[Float]], _ random: inout TraceRandom) {
        for talker in levels.indices {
            var time = random.interval(0.5, 6)
            while time < duration {
                fill(time, time + random.interval(0.02, 0.04), random.float(-45, -20), 3, &levels[talker], &random)
                time = time + random.interval(0.5, 8)
            }
        }
    }

    /// Everybody's microphone hears a little of everybody else.
    private func addCrosstalk(of clean: [[Float]], _ levels: inout [[Float]], _ random: inout TraceRandom) {
        for talker in levels.indices {
            let damping = random.float(28, 45)
            for tick in levels[talker].indices {
                for other in clean.indices where other != talker {
                    levels[talker][tick] = max(levels[talker][tick], clean[other][tick] - damping)
                }
            }
        }
    }

    private func fill(
        _ start: Interval, _ end: Interval, _ loudness: Float, _ spread: Float, _ levels: inout [Float],
        _ random: inout TraceRandom
    ) {
        var tick = index(start)
        let last = min(index(end), levels.count)
        while tick < last {
            levels[tick] = max(levels[tick], loudness + random.float(-spread, spread))
            tick += 1
        }
    }

    /// One packet in a hundred is lost, the others come up to 8 ms late.
    private mutating func emit(_ levels: [[Float]], _ voices: [Voice], _ random: inout TraceRandom) {
        for tick in 0..<index(duration) {
            for talker in 0..<talkers where !random.chance(0.01) {
                let time = Instant.zero + Self.tick * (tick + 1) + voices[talker].phase + random.interval(0, 0.008)
                let level = UInt8(min(max(-levels[talker][tick].rounded(), 0), 127))
                samples.append(Sample(time: time, talker: talker, level: level))
            }
        }
        samples.sort { $0.time < $1.time }
    }
}

/// SplitMix64: the same seed gives the same numbers everywhere.
struct TraceRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Evenly from `low` to `high`.
    mutating func float(_ low: Float, _ high: Float) -> Float {
        low + (high - low) * Float(next() >> 40) / Float(1 << 24)
    }

    mutating func interval(_ low: Double, _ high: Double) -> Interval {
        .seconds(Double(float(Float(low), Float(high))))
    }

    /// 0..<count.
    mutating func integer(_ count: Int) -> Int { Int(next() >> 33) % max(count, 1) }

    mutating func chance(_ probability: Float) -> Bool { float(0, 1) < probability }
}
