import RTCWire

/// A scripted conversation as audio levels, with the truth beside it; the same seed gives the same conversation.
///
/// Talkers differ in loudness and in the noise around them. Speech comes in syllables with pauses between words; turns
/// follow each other with a gap or overlap; short interjections, coughs, clicks and crosstalk stand in between.
package struct SpeakerTrace: Sendable {
    /// A stretch of time that belongs to one talker.
    package struct Stretch: Hashable, Sendable {
        package var talker: Int
        package var start: Interval
        package var end: Interval
        package var duration: Interval { end - start }
    }

    /// What a packet's header extension says.
    package struct Sample: Hashable, Sendable {
        package var time: Instant
        package var talker: Int
        /// -dBov, 0...127.
        package var level: UInt8
    }

    package let talkers: Int
    package let duration: Interval
    /// Who speaks when, in order of start; interjections below one second included.
    package internal(set) var turns: [Stretch] = []
    /// Coughs, each below 200 ms.
    package internal(set) var coughs: [Stretch] = []
    /// All levels in order of time.
    package internal(set) var samples: [Sample] = []

    /// - Parameters:
    ///   - talkers: 2...8.
    ///   - duration: of the conversation, usually a minute or more.
    package init(seed: UInt64, talkers: Int, duration: Interval = .seconds(60)) {
        self.talkers = min(max(talkers, 2), 8)
        self.duration = duration
        var random = TraceRandom(seed: seed)
        script(&random)
        var cough = TraceRandom(seed: seed &+ 0x5eed)
        scriptCoughs(&cough)
        render(&random)
    }

    private mutating func script(_ random: inout TraceRandom) {
        var time = random.interval(0.2, 1.5)
        var talker = random.integer(talkers)
        while time < duration {
            let end = min(time + random.interval(1, 8), duration)
            turns.append(Stretch(talker: talker, start: time, end: end))
            let present = talker
            if random.chance(0.35) { interject(over: present, from: time, to: end, &random) }
            while talker == present { talker = random.integer(talkers) }
            // Negative: the next talker begins before this one ends.
            let step = random.chance(0.3) ? random.interval(-1, 0) : random.interval(0.05, 1.2)
            time = max(end + step, time + .milliseconds(500))
        }
        turns.sort { $0.start < $1.start }
    }

    /// "Mm-hm", "yes": a short turn of somebody else.
    private mutating func interject(
        over talker: Int, from start: Interval, to end: Interval, _ random: inout TraceRandom
    ) {
        var other = talker
        while other == talker { other = random.integer(talkers) }
        let begin = start + random.interval(0.2, max(0.3, (end - start).seconds))
        let length = random.interval(0.25, 0.9)
        guard begin + length < duration else { return }
        turns.append(Stretch(talker: other, start: begin, end: begin + length))
    }

    private mutating func scriptCoughs(_ random: inout TraceRandom) {
        var time = random.interval(1, 4)
        while time < duration {
            let length = random.interval(0.06, 0.195)
            coughs.append(Stretch(talker: random.integer(talkers), start: time, end: time + length))
            time = time + random.interval(1, 7)
        }
    }
}
