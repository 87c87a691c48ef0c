import RTCWire

/// How an `ActiveSpeakerTracker` decides.
package struct ActiveSpeakerConfiguration: Hashable, Sendable {
    /// A participant that doesn't speak yet is taken for a speaker after this much voice.
    package var onset = Interval.milliseconds(260)
    /// Silence within an onset up to this long is a syllable's dip; after more, the onset starts anew.
    package var onsetGap = Interval.milliseconds(100)
    /// The active speaker must have been silent this long before another one takes over.
    package var handover = Interval.milliseconds(200)
    /// Somebody who goes on this long while the active speaker speaks as well takes over.
    package var takeover = Interval.milliseconds(1_100)
    /// Somebody who spoke before takes over from a speaker who still speaks only where this much louder, dB.
    package var margin: Float = 6
    /// A pause longer than this ends a turn: until then `isSpeaking` holds.
    package var hold = Interval.milliseconds(700)
    /// Nobody is active for less than this.
    package var minimumStay = Interval.seconds(1)
    /// Voice stands this much above the participant's noise floor, dB.
    package var aboveNoise: Float = 8
    /// Voice is at least this loud, dBov.
    package var quietest: Float = -60

    package init() {}

    /// Whoever is loudest above the floor right now: what the tracker would be without onset, hold and hysteresis.
    package static var immediate: ActiveSpeakerConfiguration {
        var configuration = ActiveSpeakerConfiguration()
        configuration.onset = .milliseconds(20)
        configuration.handover = .zero
        configuration.takeover = .zero
        configuration.margin = 0
        configuration.minimumStay = .zero
        return configuration
    }
}
