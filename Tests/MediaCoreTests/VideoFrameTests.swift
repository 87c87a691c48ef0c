import MediaCore
import Testing

@Suite struct VideoFrameTests {
    @Test func buffersAreRecycledOnceNobodyHoldsThem() {
        let pool = VideoBufferPool(capacity: 2)
        func identity(_ buffer: VideoBuffer) -> UnsafeMutablePointer<UInt8> { buffer.planes.y }
        var first: VideoBuffer? = pool.acquire(width: 64, height: 64)
        let address = first.map(identity)
        let second = pool.acquire(width: 64, height: 64)
        #expect(identity(second) != address)
        first = nil
        #expect(identity(pool.acquire(width: 64, height: 64)) == address)
        let other = pool.acquire(width: 32, height: 32)
        #expect(other.planes.width == 32)
        #expect(identity(second) != address)
    }

    @Test func aHeldFrameIsNeverOverwritten() throws {
        let source = try TestCardSource(sender: 1, width: 160, height: 90)
        let held = (0..<40).compactMap { _ in source.nextFrame(at: .zero) }
        #expect(held.map { TestCardReader.read($0)?.frameNumber } == (0..<40).map { UInt32($0) })
    }

    @Test func sizesAreHeldToWhatCanBe() {
        #expect(VideoFrame(black: 0, by: -5).width == 1)
        let odd = VideoFrame(black: 3, by: 5)
        odd.withPlanes { planes in
            #expect(planes.chromaWidth == 2 && planes.chromaHeight == 3)
            #expect(planes.y[4 * planes.yStride + 2] == 16 && planes.v[2 * planes.vStride + 1] == 128)
        }
    }

    @Test func scalingKeepsColourAndTime() {
        let frame = VideoFrame(black: 640, by: 360, captureTime: MediaTime(nanoseconds: 77))
        frame.buffer.planes.fill(y: 90, u: 60, v: 200)
        let scaler = VideoScaler()
        for (width, height) in [(160, 90), (1_280, 720), (333, 111), (640, 360)] {
            let scaled = scaler.scale(frame, width: width, height: height)
            #expect(scaled.width == width && scaled.height == height && scaled.captureTime.nanoseconds == 77)
            scaled.withPlanes { planes in
                let end = (height - 1) * planes.yStride + width - 1
                #expect(abs(Int(planes.y[0]) - 90) <= 1 && abs(Int(planes.y[end]) - 90) <= 1)
                #expect(abs(Int(planes.u[0]) - 60) <= 1 && abs(Int(planes.v[0]) - 200) <= 1)
            }
        }
    }

    @Test func coloursComeBack() throws {
        let pixels = [[UInt8]](repeating: [30, 120, 220, 255], count: 64 * 64).flatMap { $0 }
        let frame = try pixels.withUnsafeBytes { try VideoFrame(bgra: $0, width: 64, height: 64) }
        let back = frame.bgra()
        #expect(back.count == pixels.count)
        #expect(zip(pixels, back).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
        #expect(throws: MediaError.self) {
            _ = try pixels.withUnsafeBytes { try VideoFrame(bgra: $0, width: 65, height: 64) }
        }
        #expect(throws: MediaError.self) {
            _ = try pixels.withUnsafeBytes { try VideoFrame(bgra: $0, width: .max, height: 64, stride: 4) }
        }
    }
}
