import RTCCore
import RTCWire

/// A local track on its way to the peer.
protocol TrackSender: AnyObject, Sendable {
    var track: LocalTrack { get }
    /// The primary SSRCs of its streams.
    var ssrcs: [UInt32] { get }
    /// Adds what the pipeline has counted; the streams' own counters are asked for with `stream`.
    func count(into statistics: inout SenderStatistics, stream: (UInt32) -> StreamStatistics?)
    func start()
    func stop()
    /// The other side asks for a key frame of that stream.
    func keyFrameRequested(ssrc: UInt32)
    /// Sends the streams with these rids only; a stream without a rid has the empty one.
    func setActiveLayers(_ rids: Set<String>)
    /// Keeps to that many bits per second in sum; nil goes back to what the encoding says.
    func setTargetBitrate(_ bitrate: Int?)
}

/// What a stream's pipeline counts beside its RTP stream.
struct SenderCounters {
    var frames = 0
    var keyFrames = 0
    var keyFrameRequests = 0
    var width = 0
    var height = 0
}
