import RTCWire

/// Bounds of an audio jitter buffer.
package struct AudioPlayoutConfiguration: Hashable, Sendable {
    /// The target delay never falls below this.
    package var minimumDelay = Interval.milliseconds(20)
    /// The target delay never rises above this; packets later than that are given up. At most one second.
    package var maximumDelay = Interval.milliseconds(500)
    /// How long the very first packet waits, and the least target until fifty packets have come, while little is known of the
    /// network (as libwebrtc begins).
    package var initialDelay = Interval.milliseconds(80)
    /// The share of packets that shall come in time, 0...1.
    package var quantile = 0.97
    /// The memory of the delay histogram: the weight that each packet leaves to all earlier ones, below 1.
    package var forgetting = 0.995
    /// Beyond the target by this much, whole packets are skipped.
    package var excess = Interval.milliseconds(500)
    /// Sequence numbers that may wait at the same time; a power of two, 16...1,024.
    package var capacity = 128
    /// Larger payloads are refused, bytes; at most 65,535.
    package var maximumPayload = 4_000

    package init() {}

    /// A stream begins about as it goes on: nothing is stretched where the network is clean.
    static var settled: AudioPlayoutConfiguration {
        var configuration = AudioPlayoutConfiguration()
        configuration.initialDelay = configuration.minimumDelay
        return configuration
    }

    /// A stream begins with a wait that is to be given up once its network is known.
    var beginsLater: Bool { initialDelay > minimumDelay + .milliseconds(15) }
}

/// What a pull delivered, by its most important part.
package enum AudioPlayoutKind: UInt8, Hashable, Sendable {
    /// Silence before the first packet plays.
    case buffering
    /// Sound from packets.
    case speech
    /// At least partly invented.
    case concealed
    /// The sender has stopped on purpose: silence or comfort noise.
    case comfort
}
