/// Where a local video track gets its pictures.
///
/// One reader at a time asks for a picture every 1/``frameRate`` seconds.
public protocol VideoSource: AnyObject, Sendable {
    /// Width in pixels.
    var width: Int { get }
    /// Height in pixels.
    var height: Int { get }
    /// Pictures a second that the source is made for.
    var frameRate: Double { get }

    /// The next picture, stamped with `time`; nil when the source has ended.
    func nextFrame(at time: MediaTime) -> VideoFrame?
}

/// Where a track gets pictures that are compressed already, so that a load test pays for no encoder.
public protocol EncodedVideoSource: AnyObject, Sendable {
    /// The codec's name as SDP writes it, for example `VP8`.
    var codecName: String { get }
    /// Width in pixels of the first picture.
    var width: Int { get }
    /// Height in pixels of the first picture.
    var height: Int { get }
    /// Pictures a second.
    var frameRate: Double { get }

    /// The next picture, stamped with `time`; nil when the source has ended.
    func nextFrame(at time: MediaTime) -> EncodedVideoFrame?

    /// A receiver needs a key frame: a source that can, goes to its nearest one.
    func requestKeyFrame()
}
