/// What one participant saw, heard and was told, as it was measured.
package struct Observation: Sendable, Hashable {
    package var identity: String
    package var joining = JoiningObservation()
    package var ending = ScenarioEnding.never
    /// How long each loss of the connection lasted.
    package var gapsMs: [Double] = []
    package var events: [String: Int] = [:]
    /// Identities of all who were there at some time.
    package var met: Set<String> = []
    package var tracks: [TrackKey: TrackObservation] = [:]
    package var shown = ShownObservation()
    package var recordings: [RecordingObservation] = []
    package var greeting: GreetingObservation?
    package var ring = ScenarioRingOutcome.none

    package init(identity: String) { self.identity = identity }
}

package struct JoiningObservation: Sendable, Hashable {
    /// From joining to connected media; nil where it never came to that.
    package var connectMs: Double?
    package var provider: ScenarioProvider?
    package var providerChanges = 0
    /// Why they were not let in.
    package var failure: String?

    package init() {}
}

/// Who was shown as speaker and by the indicator, from when on.
package struct ShownObservation: Sendable, Hashable {
    package struct Moment: Sendable, Hashable {
        package var atMs: Int
        package var value: String

        package init(atMs: Int, value: String) {
            self.atMs = atMs
            self.value = value
        }
    }

    package var speakers: [Moment] = []
    package var indicator: [Moment] = []

    package init() {}
}

package struct TrackKey: Sendable, Hashable {
    package var from: String
    package var media: ScenarioMedia

    package init(from: String, media: ScenarioMedia) {
        self.from = from
        self.media = media
    }
}

/// What came of one track, slice by slice, and what was counted.
package struct TrackObservation: Sendable, Hashable {
    /// By index: what was heard or seen in each slice. One that isn't here had nothing.
    package var slices: [Int: MediaSlice] = [:]
    /// At the end of each slice in which there was a track.
    package var samples: [Int: MediaCounts] = [:]

    package init() {}

    /// What was counted in a window; nil where nothing was.
    package func counts(in window: Range<Int>?, sliceMs: Int) -> MediaCounts? {
        let indices = samples.keys.sorted()
        guard let window else { return indices.last.flatMap { samples[$0] } }
        let inside = indices.filter {
            ($0 + 1) * sliceMs <= window.upperBound && ($0 + 1) * sliceMs > window.lowerBound
        }
        guard let last = inside.last.flatMap({ samples[$0] }) else { return nil }
        let before = indices.last { ($0 + 1) * sliceMs <= window.lowerBound }.flatMap { samples[$0] }
        return before.map { last.since($0) } ?? last
    }
}

package struct MediaSlice: Sendable, Hashable {
    /// Pictures of the right card, or frames with the right stamp; of decoded sound 1 where the right tone was there.
    package var right: Int
    /// Of another sender.
    package var wrong: Int

    package init(right: Int = 0, wrong: Int = 0) {
        self.right = right
        self.wrong = wrong
    }
}

/// Counters of a received track; all grow.
package struct MediaCounts: Sendable, Hashable {
    package var packetsReceived = 0
    package var packetsLost = 0
    package var frames = 0
    package var missing = 0
    package var freezes = 0
    package var frozenMs = 0.0
    package var concealedMs = 0.0
    package var playedMs = 0.0
    package var undecryptable = 0
    /// Nil before the first sound or picture.
    package var firstFrameMs: Double?

    package init() {}

    func since(_ before: MediaCounts) -> MediaCounts {
        var result = self
        result.packetsReceived -= before.packetsReceived
        result.packetsLost -= before.packetsLost
        result.frames -= before.frames
        result.missing -= before.missing
        result.freezes -= before.freezes
        result.frozenMs -= before.frozenMs
        result.concealedMs -= before.concealedMs
        result.playedMs -= before.playedMs
        result.undecryptable -= before.undecryptable
        return result
    }
}

package struct RecordingObservation: Sendable, Hashable {
    package var from: String
    package var lengthMs: Double
    package var tracks: Int
    package var failure: String?

    package init(from: String, lengthMs: Double, tracks: Int, failure: String? = nil) {
        self.from = from
        self.lengthMs = lengthMs
        self.tracks = tracks
        self.failure = failure
    }
}

package struct GreetingObservation: Sendable, Hashable {
    package var playedMs: Double
    package var overlapMs: Double

    package init(playedMs: Double, overlapMs: Double) {
        self.playedMs = playedMs
        self.overlapMs = overlapMs
    }
}
