/// How a sound track was played, by the names and definitions of W3C webrtc-stats (`RTCInboundRtpStreamStats`); samples are
/// per channel at 48 kHz, times in seconds.
public struct SoundStatistics: Sendable, Hashable {
    /// Samples played, invented ones included.
    public var totalSamplesReceived = 0
    /// Samples that had to be invented.
    public var concealedSamples = 0
    /// Those among them that were silence or comfort noise.
    public var silentConcealedSamples = 0
    /// Stretches of them.
    public var concealmentEvents = 0
    /// Samples put in to raise the delay.
    public var insertedSamplesForDeceleration = 0
    /// Samples cut out to lower it.
    public var removedSamplesForAcceleration = 0
    /// Packets that came too late, or were left out to bring the delay down.
    public var packetsDiscarded = 0
    /// Sum over all samples of the time from arrival to playing.
    public var jitterBufferDelay = 0.0
    /// Samples in that sum.
    public var jitterBufferEmittedCount = 0

    /// Nothing counted.
    public init() {}

    init(_ counted: AudioPlayoutStatistics) {
        totalSamplesReceived = counted.totalSamples
        concealedSamples = counted.concealedSamples
        silentConcealedSamples = counted.silentConcealedSamples
        concealmentEvents = counted.concealmentEvents
        insertedSamplesForDeceleration = counted.expandedSamples
        removedSamplesForAcceleration = counted.acceleratedSamples
        packetsDiscarded = counted.packetsLate + counted.packetsSkipped
        jitterBufferEmittedCount = max(0, counted.totalSamples - counted.concealedSamples)
        jitterBufferDelay = counted.delayMean.seconds * Double(jitterBufferEmittedCount)
    }

    mutating func add(_ other: SoundStatistics) {
        totalSamplesReceived += other.totalSamplesReceived
        concealedSamples += other.concealedSamples
        silentConcealedSamples += other.silentConcealedSamples
        concealmentEvents += other.concealmentEvents
        insertedSamplesForDeceleration += other.insertedSamplesForDeceleration
        removedSamplesForAcceleration += other.removedSamplesForAcceleration
        packetsDiscarded += other.packetsDiscarded
        jitterBufferDelay += other.jitterBufferDelay
        jitterBufferEmittedCount += other.jitterBufferEmittedCount
    }
}
