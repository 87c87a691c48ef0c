/// Where a track gets sound that is compressed already, so that a load test pays for no encoder.
///
/// One reader at a time takes a frame every 20 ms; a source never blocks.
public protocol EncodedAudioSource: AnyObject, Sendable {
    /// The codec's name as SDP writes it, `opus`.
    var codecName: String { get }

    /// The next 20 ms; nil when the source has ended. An empty payload is silence that is left out (DTX).
    func nextFrame() -> EncodedAudioFrame?
}

/// One compressed frame of sound: 20 ms.
public struct EncodedAudioFrame: Sendable, Hashable {
    /// The codec's bitstream.
    public var payload: [UInt8]
    /// How loud it is, -dBov: 0 (loudest) to 127 (silence).
    public var level: Int

    /// Makes a frame from its parts.
    public init(payload: [UInt8], level: Int) {
        self.payload = payload
        self.level = level
    }
}
