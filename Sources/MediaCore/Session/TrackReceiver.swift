import RTCCore
import RTCWire

/// A remote track between the peer and its sinks; on the session's event loop.
protocol TrackReceiver: AnyObject {
    var track: RemoteTrack { get }
    /// The SSRC that its packets came with last.
    var ssrc: UInt32? { get }
    /// A packet of the track; `payload` is valid during the call.
    func receive(_ packet: ReceivedRTP, payload: UnsafeRawBufferPointer)
    /// The line's codecs after another negotiation.
    func update(codecs: [NegotiatedCodec])
    /// The track is gone: nothing must happen any more.
    func close()
    /// Adds what the pipeline has counted.
    func count(into statistics: inout ReceiverStatistics)
}
