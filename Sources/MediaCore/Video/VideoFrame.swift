/// One uncompressed picture: 8-bit I420 (BT.601 limited range) in one reference-counted buffer.
///
/// Copying the value shares the pixels. They never change once the frame has left its producer.
public struct VideoFrame: Sendable {
    package let buffer: VideoBuffer
    /// When the picture was captured, by the producer's clock.
    public var captureTime: MediaTime
    /// When a receiver is to show it, by this machine's clock; nil for pictures that didn't come over the network. In the
    /// past where it came too late.
    public var renderTime: MediaTime?
    /// Whether a server put it in at the end of a track, black and tiny: for whoever shows the track, no picture of its
    /// sender's.
    package var isFiller = false

    package init(buffer: VideoBuffer, captureTime: MediaTime) {
        self.buffer = buffer
        self.captureTime = captureTime
    }

    /// Makes a black picture; sides are held to 1...16,384.
    public init(black width: Int, by height: Int, captureTime: MediaTime = .zero) {
        buffer = VideoBuffer(width: width, height: height)
        self.captureTime = captureTime
        buffer.planes.fill(y: 16, u: 128, v: 128)
    }

    /// Width in pixels.
    public var width: Int { buffer.planes.width }
    /// Height in pixels.
    public var height: Int { buffer.planes.height }

    /// Lends the pixels for reading; the pointers are valid only inside `body`.
    public func withPlanes<Result, Failure: Error>(
        _ body: (I420Planes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(buffer) {} }
        return try body(buffer.planes.readOnly)
    }
}

/// The three planes of an I420 picture, borrowed for reading. Chroma planes have half the width and height, rounded up.
public struct I420Planes {
    /// Luma, `yStride * height` bytes.
    public let y: UnsafePointer<UInt8>
    /// Blue difference.
    public let u: UnsafePointer<UInt8>
    /// Red difference.
    public let v: UnsafePointer<UInt8>
    /// Bytes from one luma row to the next.
    public let yStride: Int
    /// Bytes from one row to the next in the blue-difference plane.
    public let uStride: Int
    /// Bytes from one row to the next in the red-difference plane.
    public let vStride: Int
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int

    /// Width of the chroma planes.
    public var chromaWidth: Int { (width + 1) / 2 }
    /// Height of the chroma planes.
    public var chromaHeight: Int { (height + 1) / 2 }

    package init(
        y: UnsafePointer<UInt8>, u: UnsafePointer<UInt8>, v: UnsafePointer<UInt8>,
        yStride: Int, uStride: Int, vStride: Int, width: Int, height: Int
    ) {
        self.y = y
        self.u = u
        self.v = v
        self.yStride = yStride
        self.uStride = uStride
        self.vStride = vStride
        self.width = width
        self.height = height
    }
}
