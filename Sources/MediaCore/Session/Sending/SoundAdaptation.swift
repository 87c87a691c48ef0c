import RTCCore
import RTCWire

/// How the encoder of sound is set: for a path that bears less than it would send, and for one that loses packets.
struct SoundRate: Sendable, Hashable {
    /// Bits per second.
    var bitrate: Int
    /// Percent that the coarse copies inside packets are made for; none below some percent.
    var expectedLoss = 10
    /// Length of a packet: 20, 40 or 60.
    var milliseconds = 20
}

/// Fits sound to the path: longer packets first, whose headers cost as much as the sound itself, then a lower rate; and
/// copies for the loss that reports tell of: coarse ones inside the sound, or whole ones beside it. A value.
struct SoundAdaptation: Sendable {
    /// Opus for speech in wideband.
    private static let leastBitrate = 12_000
    private static let lengths = [20, 40, 60]
    /// Going back to shorter packets takes so much more than they need.
    private static let margin = 1.2
    /// Loss that coarse copies are made for at least: the first one comes unannounced.
    private static let leastLoss = 10
    private static let mostLoss = 30
    /// They take a third of the bitrate. Whole copies do without them, but for bursts: those inside the oldest one reach further back.
    private static let coarse = 3

    private let own: Int
    private(set) var rate: SoundRate
    private var demand: CopyDemand
    /// What the path has for it; nil for no limit.
    private var share: Int?
    /// What the path bears is measured.
    private var isPathKnown = false

    /// - Parameters:
    ///   - bitrate: of the encoding, bit/s.
    ///   - copies: whole frames before its own that each packet repeats.
    ///   - mostCopies: that packets repeat while reports tell of losses.
    init(bitrate: Int, copies: Int, mostCopies: Int = 0) {
        own = bitrate
        demand = CopyDemand(least: copies, most: max(copies, mostCopies))
        rate = SoundRate(bitrate: bitrate)
    }

    /// Packets repeat frames whether any is lost or not.
    var alwaysCopies: Bool { demand.least > 0 }

    /// Whole frames before its own that a packet repeats now: what the losses ask for, and the path has room for. Where
    /// nobody knows that it is one at most, as libwebrtc always sends with RED.
    var copies: Int {
        let wanted = max(demand.least, isPathKnown ? demand.copies : min(demand.copies, 1))
        return (demand.least...wanted).last { copies in
            copies == demand.least || hasRoom(for: reduced, copies)
        } ?? demand.least
    }

    /// What is sent beside whole copies where no coarse ones are made, or nothing more has room.
    private var reduced: Int { max(own - own / Self.coarse, min(own, Self.leastBitrate)) }

    private func hasRoom(for bitrate: Int, _ copies: Int) -> Bool {
        share.map { $0 >= CopyDemand.room * PacketCosts.sound(bitrate, copies: copies) } ?? true
    }

    /// Whether Opus makes coarse copies beside so many whole ones.
    private func isCoarse(beside copies: Int) -> Bool { copies == demand.least || demand.isHeavy }

    /// What is sent where the path has room for it.
    private func bitrate(copies: Int) -> Int {
        copies == demand.least || isCoarse(beside: copies) && hasRoom(for: own, copies) ? own : reduced
    }

    /// Percent that coarse copies are made for.
    private var expectedLoss: Int {
        min(max(Int((demand.loss * 20).rounded(.up)) * 5, Self.leastLoss), Self.mostLoss)
    }

    /// What is sent now, with all headers, in bit/s.
    var cost: Int { PacketCosts.sound(rate.bitrate, copies: copies, milliseconds: rate.milliseconds) }

    /// What it would send unlimited.
    var wanted: Int { PacketCosts.sound(isCoarse(beside: demand.copies) ? own : reduced, copies: demand.copies) }

    /// What the path has for it, with all headers, in bit/s; nil for no limit.
    ///
    /// - Parameter isPathKnown: what the path bears is measured, and this keeps to it.
    mutating func setShare(_ share: Int?, isPathKnown: Bool = true) {
        self.isPathKnown = isPathKnown
        self.share = share
        let copies = copies
        let most = bitrate(copies: copies)
        rate.expectedLoss = isCoarse(beside: copies) ? expectedLoss : 0
        guard let share else {
            rate.bitrate = most
            rate.milliseconds = SoundAdaptation.lengths[0]
            return
        }
        let length = SoundAdaptation.lengths.first { length in
            let cost = Double(PacketCosts.sound(most, copies: copies, milliseconds: length))
            return Double(share) >= cost * (length < rate.milliseconds ? SoundAdaptation.margin : 1)
        }
        rate.milliseconds = length ?? 60
        let headers = PacketCosts.sound(0, copies: copies, milliseconds: rate.milliseconds)
        rate.bitrate = min(most, max((share - headers) / (1 + copies), min(own, SoundAdaptation.leastBitrate)))
    }

    /// Takes in what a report says was lost, 0...1.
    mutating func note(loss lost: Double, now: Instant) {
        demand.note(loss: lost, now: now)
        setShare(share, isPathKnown: isPathKnown)
    }
}
