import MediaCore
import Testing

@Suite struct SourceY4MTests {
    private static func file(_ header: String, frames: Int = 2, size: Int = 6) -> [UInt8] {
        var bytes = Array((header + "\n").utf8)
        for frame in 0..<frames { bytes += Array("FRAME\n".utf8) + [UInt8](repeating: UInt8(frame + 1), count: size) }
        return bytes
    }

    @Test(arguments: ["", " C420", " C420jpeg", " C420mpeg2", " C420paldv", " Ip A1:1 C420 XCOMMENT=hello"])
    func each420VariantIsRead(parameters: String) throws {
        let source = try Y4MSource(bytes: Self.file("YUV4MPEG2 W2 H2 F25:1" + parameters), name: "a.y4m")
        #expect(source.width == 2 && source.height == 2 && source.frameRate == 25)
        let frame = try #require(source.nextFrame(at: MediaTime(nanoseconds: 5)))
        #expect(frame.captureTime.nanoseconds == 5)
        frame.withPlanes { planes in #expect(planes.y[0] == 1 && planes.u[0] == 1 && planes.v[0] == 1) }
        #expect(source.nextFrame(at: .zero) != nil)
        #expect(source.nextFrame(at: .zero) == nil)
        #expect(source.failure == nil && !source.isTruncated)
    }

    @Test func oddSizesRoundTheirChromaUp() throws {
        let source = try Y4MSource(bytes: Self.file("YUV4MPEG2 W3 H3", size: 9 + 4 + 4), name: "odd.y4m")
        #expect(source.nextFrame(at: .zero) != nil && source.nextFrame(at: .zero) != nil)
        #expect(source.nextFrame(at: .zero) == nil && !source.isTruncated)
        #expect(source.frameRate == 30)
    }

    @Test func repeatingStartsOver() throws {
        let source = try Y4MSource(bytes: Self.file("YUV4MPEG2 W2 H2", frames: 2), name: "a.y4m", repeats: true)
        let values = (0..<5).map { _ in source.nextFrame(at: .zero)?.withPlanes { $0.y[1] } }
        #expect(values == [1, 2, 1, 2, 1])
    }

    @Test(arguments: [
        "YUV4MPEG2 W2 H2 C422", "YUV4MPEG2 W2 H2 C420p10", "YUV4MPEG2 W2 H2 C444", "YUV4MPEG2 W2 H2 Cmono",
        "YUV4MPEG2 W2 H2 It", "YUV4MPEG2 W0 H2", "YUV4MPEG2 W2", "YUV4MPEG2 W-2 H2", "YUV4MPEG2 W99999999 H2",
        "YUV4MPEG2 W16000 H16000", "YUV4MPEG2 W2 H2 F0:0", "YUV4MPEG2 W2 H2 F30", "RIFF", "",
    ])
    func whatCantBePlayedIsRefusedWithARemedy(header: String) throws {
        let error = try #require(throws: MediaError.self) {
            _ = try Y4MSource(bytes: Self.file(header), name: "odd.y4m")
        }
        #expect(error.description.contains("odd.y4m") && !error.remedy.isEmpty)
    }

    @Test func aDamagedPictureEndsTheSourceWithAReason() throws {
        var bytes = Self.file("YUV4MPEG2 W2 H2", frames: 3)
        bytes[28] = UInt8(ascii: "X")
        let source = try Y4MSource(bytes: bytes, name: "hurt.y4m")
        #expect(source.nextFrame(at: .zero) != nil)
        #expect(source.nextFrame(at: .zero) == nil)
        #expect(source.failure?.kind == .corrupt)
        let cut = try Y4MSource(bytes: Array(bytes[..<25]), name: "cut.y4m")
        #expect(cut.nextFrame(at: .zero) == nil && cut.isTruncated)
    }

    @Test func mutatedFilesNeverTrap() {
        var random = SeededGenerator(seed: 21)
        let good = Self.file("YUV4MPEG2 W16 H16 F30:1 Ip A1:1 C420jpeg", frames: 4, size: 384)
        for _ in 0..<3_000 {
            let bytes = good.mutated(&random, within: 60)
            guard let source = try? Y4MSource(bytes: bytes, name: "mutated.y4m", repeats: true) else { continue }
            for _ in 0..<6 { _ = source.nextFrame(at: .zero) }
        }
    }
}

@Suite struct SourceIVFTests {
    /// A real recording of `count` pictures, key frames at every tenth.
    static func recording(_ count: Int) throws -> [UInt8] {
        try withTemporaryDirectory { directory in
            let writer = try IVFWriter(path: directory + "/card.ivf")
            let source = try TestCardSource(sender: 77, width: 160, height: 90)
            let encoder = try VP8Encoder()
            for number in 0..<count {
                let picture = try #require(source.nextFrame(at: MediaTime(nanoseconds: Int64(number) * 40_000_000)))
                let frame = try encoder.encode(picture, forceKeyFrame: number % 10 == 0) { EncodedVideoFrame($0) }
                writer.receive(frame)
            }
            try writer.close()
            return fileBytes(directory + "/card.ivf")
        }
    }

    @Test func whatWasRecordedPlaysAndDecodes() throws {
        let file = try IVFFile(bytes: Self.recording(25), name: "card.ivf")
        #expect(file.width == 160 && file.height == 90 && file.frames.count == 25)
        #expect(abs(file.frameRate - 25) < 0.01)
        let source = IVFSource(file, repeats: false)
        let decoder = try VP8Decoder()
        for number in 0..<25 {
            let frame = try #require(source.nextFrame(at: MediaTime(nanoseconds: 9)))
            #expect(frame.isKeyFrame == (number % 10 == 0) && frame.captureTime.nanoseconds == 9)
            #expect(frame.width == 160 && frame.height == 90)
            let decoded = try #require(try frame.payload.withUnsafeBytes { try decoder.decode($0) })
            #expect(TestCardReader.read(decoded)?.frameNumber == UInt32(number))
        }
        #expect(source.nextFrame(at: .zero) == nil)
    }

    @Test func aKeyFrameRequestJumpsToTheNextOne() throws {
        let file = try IVFFile(bytes: Self.recording(25), name: "card.ivf")
        let source = IVFSource(file)
        for _ in 0..<3 { _ = source.nextFrame(at: .zero) }
        source.requestKeyFrame()
        #expect(source.nextFrame(at: .zero)?.payload == file.frames[10].payload)
        for _ in 0..<12 { _ = source.nextFrame(at: .zero) }
        source.requestKeyFrame()
        #expect(source.nextFrame(at: .zero)?.payload == file.frames[0].payload)
        #expect(IVFSource(file, startFraction: 0.5).nextFrame(at: .zero)?.payload == file.frames[20].payload)
        #expect(IVFSource(file, startFraction: 1).nextFrame(at: .zero)?.isKeyFrame == true)
    }

    @Test func truncatedFilesKeepTheirWholePictures() throws {
        let bytes = try Self.recording(12)
        let file = try IVFFile(bytes: Array(bytes.dropLast(5)), name: "cut.ivf")
        #expect(file.frames.count == 11 && file.isTruncated)
    }

    @Test func otherFilesAreRefused() throws {
        var vp9 = try Self.recording(1)
        vp9[11] = UInt8(ascii: "9")
        var noKey = try Self.recording(2)
        noKey[32 + 12] |= 1
        for bytes in [[], Array("RIFF....".utf8), vp9, noKey, Array(vp9[..<32])] {
            let error = try #require(throws: MediaError.self) { _ = try IVFFile(bytes: bytes, name: "odd.ivf") }
            #expect(error.description.contains("odd.ivf") && !error.remedy.isEmpty)
        }
    }

    @Test func mutatedFilesNeverTrap() throws {
        var random = SeededGenerator(seed: 31)
        let good = try Self.recording(5)
        for _ in 0..<2_000 {
            let bytes = good.mutated(&random, within: 200)
            guard let file = try? IVFFile(bytes: bytes, name: "mutated.ivf") else { continue }
            let source = IVFSource(file)
            for _ in 0..<6 { _ = source.nextFrame(at: .zero) }
        }
    }
}
