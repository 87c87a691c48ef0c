/// What has been played since the last packet, while nobody knows yet why none came.
///
/// Only the next packet tells a late network from a sender that stopped: where sequence numbers go on without a gap
/// while time stamps jump, the sender had stopped.
struct PlayoutGap {
    /// Concealment fades out within this many samples; silence after that.
    static let fade = 4_800
    /// Comfort noise ends after this many samples.
    static let comfort = 48_000

    /// Samples played without a packet and not accounted for.
    private(set) var unsettled = 0
    private var unsettledSilence = 0
    /// Samples of the present stretch without sound from packets.
    private(set) var length = 0
    /// Those among them that counted as comfort.
    private var comfortLength = 0
    /// The stretch counts as an event of concealment already.
    private var isCounted = false
    /// The sender is known to have stopped, until its next packet comes.
    var isExpected = false
    /// The sender's last packet said that silence follows.
    var isComfort = false

    /// Samples were played while nothing is known about the reason.
    mutating func wait(_ samples: Int, silent: Bool = true, _ statistics: inout AudioPlayoutStatistics) {
        length += samples
        if isExpected {
            statistics.comfortSamples += samples
            comfortLength += samples
        } else {
            unsettled += samples
            if silent { unsettledSilence += samples }
        }
    }

    /// Samples were played in place of a packet that is lost.
    mutating func conceal(_ samples: Int, silent: Bool, _ statistics: inout AudioPlayoutStatistics) {
        length += samples
        count(samples, silent: silent ? samples : 0, &statistics)
    }

    /// Comfort was played where the sender had said that it stops.
    mutating func comfort(_ samples: Int, _ statistics: inout AudioPlayoutStatistics) {
        length += samples
        comfortLength += samples
        statistics.comfortSamples += samples
    }

    /// After a pause of `pause` samples `lost` more were lost: comfort played in their place was concealment. Returns
    /// how much of the loss that covers.
    mutating func reclaim(_ lost: Int, beyond pause: Int, _ statistics: inout AudioPlayoutStatistics) -> Int {
        let covered = max(0, min(lost, comfortLength - pause))
        guard covered > 0 else { return 0 }
        statistics.comfortSamples -= covered
        comfortLength -= covered
        count(covered, silent: 0, &statistics)
        return covered
    }

    /// The next packet is here: `pause` samples of what was played are the sender's own silence, the rest concealment.
    mutating func settle(pause: Int, _ statistics: inout AudioPlayoutStatistics) {
        let comfort = max(0, min(pause, unsettled))
        statistics.comfortSamples += comfort
        let rest = unsettled - comfort
        if rest > 0 { count(rest, silent: max(0, min(rest, unsettledSilence - comfort)), &statistics) }
        unsettled = 0
        unsettledSilence = 0
    }

    /// Sound from a packet was played.
    mutating func end() {
        let isExpected = isExpected
        self = PlayoutGap()
        self.isExpected = isExpected
    }

    private mutating func count(_ samples: Int, silent: Int, _ statistics: inout AudioPlayoutStatistics) {
        statistics.concealedSamples += samples
        statistics.silentConcealedSamples += silent
        if !isCounted { statistics.concealmentEvents += 1 }
        isCounted = true
    }
}
