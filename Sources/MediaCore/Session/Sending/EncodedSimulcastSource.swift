/// Where a track gets pictures in several sizes at once (simulcast), each of which is compressed already.
public protocol EncodedSimulcastSource: EncodedVideoSource {
    /// The streams, the largest first; at most 4.
    var layers: [VideoLayer] { get }

    /// The next picture of the stream with that rid, stamped with `time`; nil when it has ended.
    func nextFrame(of rid: String, at time: MediaTime) -> EncodedVideoFrame?

    /// A receiver of that stream needs a key frame.
    func requestKeyFrame(of rid: String)
}
