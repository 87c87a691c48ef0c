import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import MediaCore

/// A call over a narrow path, in virtual time with the real codecs: Ada sends a tone and a test card at 30 pictures a second,
/// Bob receives.
final class NarrowCall {
    struct Sample {
        var seconds: Double
        var estimate: Int
        var queue: Double
    }

    let pair: MachinePair
    private(set) var samples: [Sample] = []
    private var conditions: NetworkConditions
    private let start: Instant

    init(
        rate: Int?, seed: UInt64, isPaced: Bool = true, delay: Double = 30, bitrate: Int = 600_000,
        size: (Int, Int) = (640, 360), codec: VideoCodec = .vp8, isScreen: Bool = false,
        encoding: AudioEncoding = AudioEncoding(), spoil: (inout NetworkConditions) -> Void = { _ in }
    ) throws {
        conditions = NetworkConditions(delay: .seconds(delay / 1000), jitter: .milliseconds(2))
        conditions.rate = rate
        spoil(&conditions)
        let pair = try MachinePair(conditions, seed: seed) { configuration, _ in
            configuration.isPaced = isPaced
            configuration.acceptsAllCodecs = codec != .vp8
        }
        self.pair = pair
        let tone = LocalTrack(.audio(ToneSource(frequency: 440), encoding), id: "tone")
        let source = try TestCardSource(sender: 3, width: size.0, height: size.1, frameRate: 30)
        let card = LocalTrack(.video(source, VideoEncoding(bitrate: bitrate, codec: codec)), id: "card")
        card.isScreen = isScreen
        for track in [tone, card] {
            _ = try pair.perform(pair.ada) { machine, _, _ in try machine.addTrack(track, streamID: "ada") }
        }
        try pair.negotiate()
        try #require(pair.connect())
        start = pair.simulation.now
        pair.simulation.schedule(every: .milliseconds(20), from: start) { [unowned self] in
            sample()
            return true
        }
    }

    private func sample() {
        let now = pair.simulation.now
        let estimate = pair.ada.session.estimatedBitrate
        let queue = pair.simulation.network.queueDelay(from: pair.ada.address, to: pair.bob.address, at: now)
        samples.append(Sample(seconds: (now - start).seconds, estimate: estimate, queue: queue.milliseconds))
    }

    func setRate(_ rate: Int) {
        conditions.rate = rate
        pair.simulation.network.set(conditions, from: pair.ada.address, to: pair.bob.address)
    }

    /// Changes the share that is lost, in both directions.
    func setLoss(_ loss: Double) {
        conditions.loss = loss
        for (from, to) in [(pair.ada, pair.bob), (pair.bob, pair.ada)] {
            pair.simulation.network.set(conditions, from: from.address, to: to.address)
        }
    }

    var sound: ReceiverStatistics { pair.statistics(pair.bob).receivers[0] }
    var pictures: ReceiverStatistics { pair.statistics(pair.bob).receivers[1] }

    func estimate(from: Double, to: Double) -> Double {
        let found = samples.filter { $0.seconds >= from && $0.seconds < to }.map { Double($0.estimate) }
        return found.reduce(0, +) / Double(max(found.count, 1))
    }

    /// What 95 % of the samples stay below, in ms.
    func queue(from: Double, to: Double) -> Double {
        let found = samples.filter { $0.seconds >= from && $0.seconds < to }.map(\.queue).sorted()
        return found.isEmpty ? .infinity : found[found.count * 95 / 100]
    }

    /// What one line says of how Bob fared.
    var summary: String {
        let (sound, pictures) = (sound, pictures)
        return "concealed \(sound.concealedMilliseconds) ms of \(sound.playedMilliseconds), "
            + "freezes \(pictures.freezes), decoded \(pictures.framesDecoded), "
            + "frozen \(pictures.frozenMilliseconds) ms, height \(sent?.height ?? 0)"
    }

    /// How Ada's only picture stream stands.
    var sent: LayerStatistics? { pair.statistics(pair.ada).senders.compactMap(\.layers.first).first }
}
