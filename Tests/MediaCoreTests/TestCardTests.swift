import MediaCore
import Testing

@Suite struct TestCardTests {
    private static let interval: Int64 = 33_333_333

    @Test func theBlackEndOfATrackIsNoDamage() throws {
        let source = try TestCardSource(sender: 9, width: 320, height: 180)
        let sink = TestCardSink()
        sink.receive(try #require(source.nextFrame(at: .zero)), at: .zero)
        sink.receive(VideoFrame(black: 8, by: 8), at: .zero)
        sink.receive(VideoFrame(black: 320, by: 180), at: .zero)
        #expect(sink.report.framesRead == 1 && sink.report.blank == 1 && sink.report.unreadable == 1)
    }

    @Test(arguments: [(160, 90), (320, 180), (640, 360), (641, 361), (1_280, 720), (480, 640)])
    func readsWhatItDrew(width: Int, height: Int) throws {
        let source = try TestCardSource(sender: 0xbeef, width: width, height: height)
        for number in 0..<30 {
            let time = MediaTime(nanoseconds: 7_000_000_000_000 + Int64(number) * Self.interval)
            let frame = try #require(source.nextFrame(at: time))
            let reading = try #require(TestCardReader.read(frame))
            #expect(reading.sender == 0xbeef)
            #expect(reading.frameNumber == UInt32(number))
            #expect(reading.timeMicroseconds == UInt32(truncatingIfNeeded: time.nanoseconds / 1_000))
            #expect(abs(reading.latency(at: time.advanced(seconds: 0.025)) - 0.025) < 2e-6)
        }
        #expect(source.framesDrawn == 30)
    }

    @Test func latencySurvivesTheWrapOfItsClock() {
        let reading = TestCardReading(sender: 1, frameNumber: 1, timeMicroseconds: .max - 9)
        #expect(abs(reading.latency(at: MediaTime(nanoseconds: 990_000)) - 0.001) < 1e-9)
    }

    @Test func readableAt150KilobitsAndWhenScaledDown() throws {
        let source = try TestCardSource(sender: 42)
        let encoder = try VP8Encoder(.init(bitrate: 150_000))
        let decoder = try VP8Decoder()
        let scaler = VideoScaler()
        var bytes = 0
        for number in 0..<300 {
            let picture = try #require(source.nextFrame(at: MediaTime(nanoseconds: Int64(number) * Self.interval)))
            let decoded = try encoder.encode(picture) { packet in
                bytes += packet.payload.count
                return Result { try decoder.decode(packet.payload) }
            }.get()
            let frame = try #require(decoded)
            for (width, height) in [(640, 360), (320, 180), (160, 90), (1_280, 720), (250, 141)] {
                let reading = TestCardReader.read(scaler.scale(frame, width: width, height: height))
                #expect(reading?.frameNumber == UInt32(number), "at \(width)x\(height)")
                #expect(reading?.sender == 42)
            }
        }
        #expect(Double(bytes * 8) / 10 < 150_000 * 1.2)
    }

    @Test func readableWhenEncodedSmall() throws {
        let source = try TestCardSource(sender: 7)
        let encoder = try VP8Encoder(.init(bitrate: 80_000))
        let decoder = try VP8Decoder()
        let scaler = VideoScaler()
        var unreadable = 0
        for number in 0..<150 {
            let picture = try #require(source.nextFrame(at: MediaTime(nanoseconds: Int64(number) * Self.interval)))
            let decoded = try encoder.encode(scaler.scale(picture, width: 160, height: 90)) { packet in
                Result { try decoder.decode(packet.payload) }
            }.get()
            if TestCardReader.read(try #require(decoded))?.frameNumber != UInt32(number) { unreadable += 1 }
        }
        #expect(unreadable == 0)
    }

    @Test func aDamagedCardIsNoReadingRatherThanALie() throws {
        let source = try TestCardSource(sender: 12, width: 160, height: 90)
        let truth = try #require(source.nextFrame(at: MediaTime(nanoseconds: 123_456_789_000)))
        var random = SeededGenerator(seed: 5)
        var unread = 0
        for _ in 0..<3_000 {
            let damaged = VideoFrame(black: 160, by: 90)
            truth.withPlanes { damaged.buffer.planes.copy($0) }
            for _ in 0..<Int.random(in: 1...24, using: &random) { flipCell(damaged, &random) }
            let reading = TestCardReader.read(damaged)
            if reading == nil { unread += 1 }
            #expect(reading == nil || reading == TestCardReader.read(truth))
        }
        #expect(unread > 2_900)
    }

    /// Inverts one 4x4 cell of the strip.
    private func flipCell(_ frame: VideoFrame, _ random: inout SeededGenerator) {
        let planes = frame.buffer.planes
        let x = Int.random(in: 0..<40, using: &random) * 4
        let y = Int.random(in: 0..<3, using: &random) * 4
        for row in y..<y + 4 {
            for column in x..<x + 4 {
                planes.y[row * planes.yStride + column] = 255 - planes.y[row * planes.yStride + column]
            }
        }
    }

    @Test func amixtureOfTwoPicturesIsNoReading() throws {
        let source = try TestCardSource(sender: 12)
        var random = SeededGenerator(seed: 6)
        var previous = try #require(source.nextFrame(at: .zero))
        for number in 1..<400 {
            let next = try #require(source.nextFrame(at: MediaTime(nanoseconds: Int64(number) * Self.interval)))
            let mixed = VideoFrame(black: 640, by: 360)
            next.withPlanes { mixed.buffer.planes.copy($0) }
            // As after a lost packet: some macroblocks still show the picture before.
            for _ in 0..<30 {
                let (x, y) = (Int.random(in: 0..<40, using: &random) * 16, Int.random(in: 0..<3, using: &random) * 16)
                previous.withPlanes { old in
                    for row in y..<y + 16 {
                        (mixed.buffer.planes.y + row * mixed.buffer.planes.yStride + x)
                            .update(from: old.y + row * old.yStride + x, count: 16)
                    }
                }
            }
            let reading = TestCardReader.read(mixed)
            #expect(reading == nil || reading == TestCardReader.read(next) || reading == TestCardReader.read(previous))
            previous = next
        }
    }

    @Test func otherPicturesAreNoCards() {
        #expect(TestCardReader.read(VideoFrame(black: 640, by: 360)) == nil)
        #expect(TestCardReader.read(VideoFrame(black: 2, by: 2)) == nil)
        var random = SeededGenerator(seed: 8)
        let noise = VideoFrame(black: 320, by: 180)
        for _ in 0..<200 {
            for row in 0..<180 {
                let line = noise.buffer.planes.y + row * noise.buffer.planes.yStride
                for x in 0..<320 { line[x] = UInt8.random(in: 0...255, using: &random) }
            }
            #expect(TestCardReader.read(noise) == nil)
        }
    }

    @Test func sendersDifferInColourAndPicturesMove() throws {
        let means = try (0..<6).map { sender in
            let source = try TestCardSource(sender: UInt16(sender))
            return try #require(source.nextFrame(at: .zero)).meanChroma
        }
        for a in 0..<6 {
            for b in 0..<a { #expect(abs(means[a].u - means[b].u) + abs(means[a].v - means[b].v) > 4) }
        }
        let source = try TestCardSource(sender: 1)
        let first = try #require(source.nextFrame(at: .zero))
        let second = try #require(source.nextFrame(at: .zero))
        let changed = first.withPlanes { a in
            second.withPlanes { b in
                (200..<360).count { row in
                    (0..<640).contains { a.y[row * a.yStride + $0] != b.y[row * b.yStride + $0] }
                }
            }
        }
        #expect(changed > 100)
    }

    @Test(arguments: [(0, 0), (159, 90), (160, 89), (10_000, 90)])
    func impossibleSizesAreErrors(width: Int, height: Int) {
        #expect(throws: MediaError.self) { try TestCardSource(sender: 1, width: width, height: height) }
    }
}

extension VideoFrame {
    /// Mean blue and red difference.
    fileprivate var meanChroma: (u: Double, v: Double) {
        withPlanes { planes in
            var sums = (0, 0)
            for row in 0..<planes.chromaHeight {
                for x in 0..<planes.chromaWidth {
                    sums.0 += Int(planes.u[row * planes.uStride + x])
                    sums.1 += Int(planes.v[row * planes.vStride + x])
                }
            }
            let count = Double(planes.chromaWidth * planes.chromaHeight)
            return (Double(sums.0) / count, Double(sums.1) / count)
        }
    }
}
