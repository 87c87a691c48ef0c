import Synchronization

/// A moving test card that carries its sender's number, a frame number and the capture time in machine-readable form.
///
/// ``TestCardReader`` reads it back after VP8 at 150 kbit/s and after scaling down to 160x90.
public final class TestCardSource: VideoSource {
    /// The number drawn into each picture.
    public let sender: UInt16
    /// Pixels.
    public let width: Int
    /// Pixels.
    public let height: Int
    /// Pictures a second.
    public let frameRate: Double

    private let card: TestCard
    private let pool = VideoBufferPool()
    private let nextNumber = Atomic<UInt32>(0)

    /// - Parameters:
    ///   - sender: tells one participant's pictures from another's; it also chooses the colours.
    ///   - width: 160...4,096.
    ///   - height: 90...4,096.
    ///   - frameRate: 1...240.
    public init(
        sender: UInt16, width: Int = 640, height: Int = 360, frameRate: Double = 30
    ) throws(MediaError) {
        guard (1...240).contains(frameRate) else {
            throw MediaError(
                .argument, "test card", "\(frameRate) pictures a second are not possible", remedy: "use 1 to 240")
        }
        card = try TestCard(sender: sender, width: width, height: height)
        self.sender = sender
        self.width = width
        self.height = height
        self.frameRate = frameRate
    }

    /// Pictures drawn so far; the last one's number is one less.
    public var framesDrawn: UInt32 { nextNumber.load(ordering: .relaxed) }

    /// Draws the next picture; never ends.
    public func nextFrame(at time: MediaTime) -> VideoFrame? {
        let number = nextNumber.wrappingAdd(1, ordering: .relaxed).oldValue
        let buffer = pool.acquire(width: width, height: height)
        card.draw(frameNumber: number, time: time, into: buffer.planes)
        return VideoFrame(buffer: buffer, captureTime: time)
    }
}
