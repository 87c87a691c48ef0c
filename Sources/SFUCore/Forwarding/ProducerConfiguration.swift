/// What a published track's packets are.
package struct ProducerConfiguration: Sendable, Hashable {
    package var codec: MediaCodec
    package var payloads: ProducerPayloads
    /// In Hz.
    package var clockRate: UInt32
    /// The sources of a simulcast without rids, the smallest picture first (`a=ssrc-group:SIM`).
    package var simulcastSources: [UInt32] = []
    /// Whoever asks for a key frame of one layer asks for one of each, as some publishers send them anyway.
    package var asksForAllLayers = false

    package init(codec: MediaCodec, payloads: ProducerPayloads = ProducerPayloads(), clockRate: UInt32) {
        self.codec = codec
        self.payloads = payloads
        self.clockRate = max(clockRate, 1)
    }
}
