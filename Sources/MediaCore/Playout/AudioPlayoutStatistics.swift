import RTCWire

/// What an audio jitter buffer has done so far, from the first packet on. Samples are per channel at 48 kHz.
///
/// The names follow the W3C's webrtc-stats where it has one for the thing.
package struct AudioPlayoutStatistics: Hashable, Sendable {
    /// Packets handed in, whatever became of them.
    package var packetsReceived = 0
    /// Packets that were decoded and played.
    package var packetsDecoded = 0
    /// Packets that had not come when their time did, and were not rebuilt from redundancy.
    package var packetsLost = 0
    /// Packets rebuilt from the copy inside a later one: Opus's own redundancy, or RED.
    package var packetsRecovered = 0
    /// Packets that came after their place had been played.
    package var packetsLate = 0
    /// Packets that came more than once.
    package var packetsDuplicated = 0
    /// Packets that no decoder could read, and those beyond the size limit.
    package var packetsUnreadable = 0
    /// Whole packets thrown away to bring an excessive delay down, or because the stream began anew.
    package var packetsSkipped = 0

    /// Everything that was played since the first packet began to play.
    package var totalSamples = 0
    /// Samples that had to be invented: loss concealment, inserted silence and underruns.
    package var concealedSamples = 0
    /// The part of `concealedSamples` that was plain silence.
    package var silentConcealedSamples = 0
    /// Stretches of concealment.
    package var concealmentEvents = 0
    /// Samples played without a packet whose reason isn't known before the next packet: the network was late, or the
    /// sender had stopped. The next packet turns them into `concealedSamples` or `comfortSamples`.
    package var unsettledSamples = 0
    /// Silence and comfort noise where the sender had stopped on purpose (DTX, mute).
    package var comfortSamples = 0
    /// Samples rebuilt from redundancy; not part of `concealedSamples`.
    package var recoveredSamples = 0
    /// Samples cut out to lower the delay.
    package var acceleratedSamples = 0
    /// Samples put in to raise the delay.
    package var expandedSamples = 0
    /// How often the sender's sequence, clock or SSRC began anew.
    package var resets = 0

    /// Sum over all decoded packets of the time from arrival to the playing of the first sample.
    package var delaySum = Interval.zero
    /// The longest such time.
    package var delayMaximum = Interval.zero
    /// Smoothed present delay of the fastest packets: what the buffer holds against jitter.
    package var currentDelay = Interval.zero
    /// The delay the buffer aims at.
    package var targetDelay = Interval.zero

    package init() {}

    /// Mean time from arrival to playing.
    package var delayMean: Interval { packetsDecoded == 0 ? .zero : delaySum / packetsDecoded }
    /// `concealedSamples` in milliseconds.
    package var concealedMilliseconds: Double { Double(concealedSamples) / 48 }
}
