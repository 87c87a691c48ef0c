/// One compressed picture.
public struct EncodedVideoFrame: Sendable, Hashable {
    /// The codec's bitstream, without RTP payload descriptor.
    public var payload: [UInt8]
    /// Whether it decodes without any earlier picture.
    public var isKeyFrame: Bool
    /// Width and height in pixels.
    public var width: Int, height: Int
    /// When the picture was captured.
    public var captureTime: MediaTime

    /// Makes a frame from its parts.
    public init(payload: [UInt8], isKeyFrame: Bool, width: Int, height: Int, captureTime: MediaTime) {
        self.payload = payload
        self.isKeyFrame = isKeyFrame
        self.width = width
        self.height = height
        self.captureTime = captureTime
    }
}
