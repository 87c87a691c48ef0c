import RTCCore
import RTCWire
import SFUCore

/// A track that a connection is to send: where it comes from, how it is announced, and what the subscriber wants of it.
final class OutgoingTrack {
    let trackID: String
    let producer: Producer
    let description: SendDescription
    /// As in `a=rtpmap`.
    let codecName: String
    /// The m-line that carries it.
    var line: Int?
    var consumer: Consumer?
    /// The client knows no codec for it.
    var isRefused = false
    private var isPaused = false
    private var layerLimit = 2
    /// What the subscriber's connection bears.
    private var share = BitrateAllocation.Share.upTo(2)
    /// The larger, the sooner it gets bandwidth.
    var priority = 1

    init(trackID: String, streamID: String, cname: String, producer: Producer, codecName: String) {
        self.trackID = trackID
        self.producer = producer
        self.codecName = codecName
        description = SendDescription(
            streamID: streamID, trackID: trackID, ssrc: .random(in: 1 ... .max),
            rtxSSRC: producer.kind == .video ? .random(in: 1 ... .max) : nil, cname: cname)
    }

    var ssrc: UInt32 { description.ssrc }

    /// What the subscriber wants: nothing for a while, or no larger layer than this.
    func set(paused: Bool, layerLimit: Int, now: Instant) {
        isPaused = paused
        self.layerLimit = layerLimit
        applySettings(now: now)
    }

    func applySettings(now: Instant) {
        if case .upTo(let rank) = share { consumer?.setLayerLimit(min(layerLimit, rank), now: now) }
        consumer?.setPaused(isPaused || isStarved, now: now)
    }

    // MARK: Bandwidth

    /// The largest layer that the subscriber wants; nil while it wants nothing.
    var wantedLayer: Int? { isPaused ? nil : layerLimit }

    /// Nothing is sent for want of bandwidth.
    var isStarved: Bool { !isPaused && share == .paused }

    /// Takes in what the connection bears; nil leaves it as it is.
    func allocate(_ share: BitrateAllocation.Share?, now: Instant) {
        guard let share, share != self.share else { return }
        self.share = share
        applySettings(now: now)
    }

    /// How many layers that are there and wanted the connection doesn't bear.
    func withheldLayers(_ now: Instant) -> Int {
        guard case .upTo(let rank) = share else { return 0 }
        return producer.layers.filter { $0.isAlive(now) && $0.rank > rank && $0.rank <= layerLimit }.count
    }
}
