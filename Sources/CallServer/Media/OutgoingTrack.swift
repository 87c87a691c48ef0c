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
        consumer?.setLayerLimit(layerLimit, now: now)
        consumer?.setPaused(isPaused, now: now)
    }
}
