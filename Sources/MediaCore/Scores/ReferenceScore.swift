/// Compares what is heard with what was said, while it is heard: spectra of critical bands, the same in level, each held
/// against the one of the source that it comes from.
///
/// What is heard may be late, louder or quieter, and stretched by a jitter buffer: neither costs. What is missing, put in,
/// broken or somebody else's does. Memory is bounded: two seconds of heard levels, and the source's.
public struct ReferenceScore: Sendable {
    /// Where the heard may come from.
    public enum Place: Sendable, Hashable {
        /// Anywhere in the source: it plays, nobody knows since when. Silence before the first sound doesn't count.
        case anywhere
        /// Up to so many seconds behind the source's beginning. Silence counts from the beginning on.
        case behind(seconds: Double)
    }

    /// Spectra, 10 ms each, that are judged at a time.
    static let patch = 50
    /// Spectra in which a place is looked for.
    private static let searched = 200
    /// Spectra with sound that it takes for it.
    private static let needed = 50
    /// Unlikeness below which nobody hears a difference: what a codec at a usual bitrate does everywhere.
    private static let inaudible: Float = 0.1
    /// Spectra whose window reaches over a cut, and the neighbour of the last one.
    private static let cut = 4
    /// A band's level below which there is no sound: -75 dB of the full scale, in half decibels.
    private static let audible: UInt8 = 70

    private let reference: ReferenceSound
    private let delays: ClosedRange<Int>
    private let isAnywhere: Bool
    private var profile = SpectralProfile()
    private var heard = BandLevels()
    /// The first spectrum that has not been judged.
    private var next = 0
    private var alignment: Alignment?
    private var path = DelayPath()
    private var totals = Totals()
    /// Patches in a row that were nothing like the source.
    private var strange = 0
    private var jumps = 0

    /// Where the heard comes from.
    private struct Alignment {
        /// In steps of 5 ms.
        var delay: Int
        /// dB.
        var gain: Float
        /// Whether it was found, and not assumed.
        var isFound = true
    }

    /// What the patches came to.
    private struct Totals {
        var weight = 0.0
        var squares = 0.0
        /// Spectra with sound on either side.
        var active = 0
        /// Spectra that were passed over, because nothing was heard yet.
        var passed = 0

        mutating func add(unlike: Float, _ share: Float) {
            weight += Double(share)
            squares += Double(share * unlike * unlike)
            active += 1
        }

        mutating func add(_ patch: Totals) {
            weight += patch.weight
            squares += patch.squares
            active += patch.active
        }
    }

    /// - Parameters:
    ///   - reference: what is said.
    ///   - place: where in it the heard comes from.
    public init(_ reference: ReferenceSound, place: Place = .anywhere) {
        self.reference = reference
        switch place {
        case .anywhere:
            isAnywhere = true
            delays = -max(reference.places - 1, 0)...ReferenceSound.lead
        case .behind(let seconds):
            isAnywhere = false
            // A clock that is read on both sides may be wrong by 100 ms.
            delays = -20...Int((seconds > 0 ? min(seconds, ReferenceSound.maximumSeconds) : 0) * 200)
        }
    }

    /// Takes in what is heard, 48 kHz, interleaved.
    public mutating func append(_ samples: UnsafeBufferPointer<Int16>, channels: Int = 1) {
        profile.append(samples, channels: max(1, channels))
        heard.take(&profile)
        // The last spectrum of a patch is compared with the one after it too.
        while heard.end - next > (isAligned ? Self.patch : Self.searched) {
            if isAligned || align() { judge(next..<(next + Self.patch)) }
        }
        heard.forget(before: next - Self.searched)
    }

    /// Takes in an array.
    public mutating func append(_ samples: [Int16], channels: Int = 1) {
        samples.withUnsafeBufferPointer { append($0, channels: channels) }
    }

    /// Spectra of the heard that are kept.
    var keptSpectra: Int { heard.end - heard.first }

    /// What it comes to so far; nil before a second of sound.
    public var opinion: ReferenceOpinion? {
        var whole = self
        whole.judgeRest()
        return whole.total
    }

    private mutating func judgeRest() {
        // The very last one has no neighbour to be compared with.
        while next < heard.end - 1 {
            if isAligned || align() { judge(next..<min(next + Self.patch, heard.end - 1)) }
        }
    }

    private var isAligned: Bool { alignment?.isFound ?? false }

    private var total: ReferenceOpinion? {
        guard alignment != nil else {
            // A source plays, and all that came was silence.
            guard totals.passed >= Self.searched else { return nil }
            return ReferenceOpinion(disturbance: 1, comparedSeconds: Double(totals.passed) / 100)
        }
        guard totals.active >= 100, totals.weight > 0 else { return nil }
        let found = alignment.flatMap { $0.isFound ? $0 : nil }
        return ReferenceOpinion(
            disturbance: (totals.squares / totals.weight).squareRoot(), comparedSeconds: Double(totals.active) / 100,
            delayMilliseconds: isAnywhere ? nil : found.map { Double($0.delay * 5) },
            gainDecibels: found.map { Double($0.gain) }, jumps: jumps)
    }
}

// MARK: - Where it comes from

extension ReferenceScore {
    /// Looks for the place of what was heard first. False where silence before it was passed over.
    private mutating func align() -> Bool {
        let range = next..<min(next + Self.searched, heard.end)
        if isAnywhere, alignment == nil, passSilence(range) { return false }
        let sounding = range.reduce(0) { $0 + (heard.peak($1) >= Self.audible ? 1 : 0) }
        if sounding < Self.needed, isAnywhere, alignment == nil {
            pass(min(Self.patch, range.count))
            return false
        }
        let found = sounding < Self.needed ? nil : find(range)
        let isFirst = alignment == nil
        // What isn't found is judged as if it were where it is expected.
        alignment = found ?? alignment ?? Alignment(delay: 0, gain: 0, isFound: false)
        guard isFirst, totals.passed > 0 else { return true }
        // It may have begun within a sound: spectra over that cut can't be alike.
        next += Self.cut
        return false
    }

    /// The source plays, and nobody has listened yet. False where there is sound at once.
    private mutating func passSilence(_ range: Range<Int>) -> Bool {
        let onset = range.first { heard.peak($0) >= Self.audible } ?? range.upperBound
        guard onset > next else { return false }
        pass(onset - next)
        return true
    }

    private mutating func pass(_ spectra: Int) {
        totals.passed += spectra
        next += spectra
    }

    private func find(_ range: Range<Int>) -> Alignment? {
        let search = SoundSearch(heard, range, in: reference)
        let match = search.best(allowed(range.lowerBound))
        guard match.correlation > 0.3, let gain = search.gain(match.delay) else { return nil }
        return Alignment(delay: match.delay, gain: gain)
    }

    /// The delays at which a spectrum may be: all places of a source that plays somewhere.
    private func allowed(_ spectrum: Int) -> ClosedRange<Int> {
        isAnywhere ? (delays.lowerBound + 2 * spectrum)...(delays.upperBound + 2 * spectrum) : delays
    }

    /// Where four patches in a row were nothing like it, the heard may have gone on elsewhere.
    private mutating func reconsider(_ present: Alignment) {
        guard strange >= 4 else { return }
        strange = 0
        let range = max(heard.first, next - Self.searched)..<next
        guard let found = find(range) else { return }
        let search = SoundSearch(heard, range, in: reference)
        guard search.correlation(found.delay) > search.correlation(present.delay) + 0.15 else { return }
        jumps += 1
        alignment = found
    }
}

// MARK: - How alike it is

extension ReferenceScore {
    private mutating func judge(_ range: Range<Int>) {
        guard var present = alignment else { return }
        defer { next = range.upperBound }
        let (patch, sounding) = compare(range, &present)
        totals.add(patch)
        alignment = present
        // Silence says nothing of where it comes from.
        guard sounding >= 15, present.isFound else { return }
        strange = patch.squares > 0.25 * patch.weight ? strange + 1 : 0
        reconsider(present)
    }

    /// Follows delay and gain through a patch; what it comes to, and in how many spectra something was heard.
    private mutating func compare(_ range: Range<Int>, _ present: inout Alignment) -> (Totals, sounding: Int) {
        let allowed = isAnywhere ? (Int.min / 2)...(Int.max / 2) : delays
        var levels = LevelPatch(
            heard, range, gain: present.gain, reference: reference,
            delays: DelayPath.range(from: present.delay, allowed: allowed))
        path.find(range.count, from: present.delay, allowed: allowed) { levels.difference($0, $1) }
        levels.match(path.delays)
        present.delay = path.delays.last ?? present.delay
        var (patch, sounding) = (Totals(), 0)
        for spectrum in range {
            let (unlike, active) = levels.compare(spectrum - range.lowerBound)
            guard active > 0 else { continue }
            patch.add(unlike: max(0, unlike - Self.inaudible), active)
            if heard.peak(spectrum) >= Self.audible { sounding += 1 }
        }
        if let gain = levels.heardGain { present.gain += (gain - present.gain) / 4 }
        return (patch, sounding)
    }
}
