import RTCWire

/// How the encoder of sound is set: for a path that bears less than it would send, and for one that loses packets.
struct SoundRate: Sendable, Hashable {
    /// Bits per second.
    var bitrate: Int
    /// Percent that the copies inside packets are made for.
    var expectedLoss = 10
    /// Length of a packet: 20, 40 or 60.
    var milliseconds = 20
}

/// Fits sound to the path: longer packets first, whose headers cost as much as the sound itself, then a lower rate; and
/// copies for the loss that reports tell of. A value.
struct SoundAdaptation: Sendable {
    /// Opus for speech in wideband.
    private static let leastBitrate = 12_000
    private static let lengths = [20, 40, 60]
    /// Going back to shorter packets takes so much more than they need.
    private static let margin = 1.2
    /// Loss that copies are made for at least: the first one comes unannounced.
    private static let leastLoss = 10
    private static let mostLoss = 30

    private let own: Int
    private let copies: Int
    private(set) var rate: SoundRate
    /// 0...1; follows a rise faster than a fall.
    private var loss = 0.0

    /// - Parameters:
    ///   - bitrate: of the encoding, bit/s.
    ///   - copies: whole frames before its own that a packet repeats.
    init(bitrate: Int, copies: Int) {
        own = bitrate
        self.copies = copies
        rate = SoundRate(bitrate: bitrate)
    }

    /// What is sent now, with all headers, in bit/s.
    var cost: Int { PacketCosts.sound(rate.bitrate, copies: copies, milliseconds: rate.milliseconds) }

    /// What it would send unlimited.
    var wanted: Int { PacketCosts.sound(own, copies: copies) }

    /// What the path has for it, with all headers, in bit/s; nil for no limit.
    mutating func setShare(_ share: Int?) {
        guard let share else {
            rate.bitrate = own
            rate.milliseconds = SoundAdaptation.lengths[0]
            return
        }
        let length = SoundAdaptation.lengths.first { length in
            let cost = Double(PacketCosts.sound(own, copies: copies, milliseconds: length))
            return Double(share) >= cost * (length < rate.milliseconds ? SoundAdaptation.margin : 1)
        }
        rate.milliseconds = length ?? 60
        let headers = PacketCosts.sound(0, copies: copies, milliseconds: rate.milliseconds)
        rate.bitrate = min(own, max((share - headers) / (1 + copies), min(own, SoundAdaptation.leastBitrate)))
    }

    /// Takes in what a report says was lost, 0...1.
    mutating func note(loss share: Double) {
        loss += (share - loss) * (share > loss ? 0.5 : 0.2)
        let percent = Int((loss * 20).rounded(.up)) * 5
        rate.expectedLoss = min(max(percent, SoundAdaptation.leastLoss), SoundAdaptation.mostLoss)
    }
}
