import MediaCore
import Testing

@Suite struct SinkWAVTests {
    @Test(arguments: [1, 2])
    func whatIsWrittenReadsBack(channels: Int) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/out.wav"
            let writer = try WAVWriter(path: path, channels: channels)
            let samples = sine(440, count: 48_000 * channels)
            for start in stride(from: 0, to: samples.count, by: 480 * channels) {
                writer.receive(AudioFrame(samples: Array(samples[start..<start + 480 * channels]), channels: channels))
            }
            #expect(writer.duration == 1)
            try writer.close()
            writer.receive(AudioFrame(silence: 480, channels: channels))
            try writer.close()
            let source = try WAVSource(path: path)
            #expect(source.channels == channels)
            #expect(read(source, 100_000) == samples)
            #expect(fileBytes(path).count == 44 + 2 * samples.count)
        }
    }

    @Test func channelsAreConverted() throws {
        try withTemporaryDirectory { directory in
            let writer = try WAVWriter(path: directory + "/mono.wav")
            writer.receive(AudioFrame(samples: [100, 300, -10, -30], channels: 2))
            try writer.close()
            #expect(read(try WAVSource(path: directory + "/mono.wav"), 10) == [200, -20])
            let stereo = try WAVWriter(path: directory + "/stereo.wav", channels: 2)
            stereo.receive(AudioFrame(samples: [1, 2]))
            try stereo.close()
            #expect(read(try WAVSource(path: directory + "/stereo.wav"), 10) == [1, 1, 2, 2])
        }
    }

    @Test func anUnclosedFileIsPlayable() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/killed.wav"
            let writer = try WAVWriter(path: path)
            for _ in 0..<200 { writer.receive(AudioFrame(samples: sine(440, count: 480))) }
            // What has reached the disk so far, as if the program had been killed.
            let played = read(try WAVSource(bytes: fileBytes(path), name: "killed.wav"), 1_000_000)
            #expect(played.count > 48_000)
            try writer.close()
        }
    }

    @Test func aFullDiskIsReportedAndNothingWrittenIsLost() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/limited.wav"
            let writer = try WAVWriter(path: path, channels: 1, sizeLimit: 10_000)
            for _ in 0..<50 { writer.receive(AudioFrame(samples: sine(440, count: 480))) }
            #expect(writer.failure?.kind == .unwritable)
            let error = try #require(throws: MediaError.self) { try writer.close() }
            #expect(error.subject == path && !error.remedy.isEmpty)
            let source = try WAVSource(path: path)
            #expect(read(source, 100_000).count == 10 * 480)
            #expect(!source.isTruncated)
        }
        try withFullDevice { path in
            let full = try WAVWriter(path: path)
            for _ in 0..<100 { full.receive(AudioFrame(silence: 480)) }
            let error = try #require(throws: MediaError.self) { try full.close() }
            #expect(error.description.contains("No space left") && error.remedy.contains("free space"))
        }
    }

    @Test func aPathThatCantBeWrittenIsNamed() throws {
        let error = try #require(throws: MediaError.self) { _ = try WAVWriter(path: "/nonexistent/out.wav") }
        #expect(error.kind == .unwritable && error.subject == "/nonexistent/out.wav")
    }
}

/// The next picture of a card, as if captured then.
private func picture(of card: TestCardSource, at seconds: Double) throws -> VideoFrame {
    var picture = try #require(card.nextFrame(at: .zero))
    picture.captureTime = MediaTime(nanoseconds: Int64(seconds * 1e9))
    return picture
}

extension MediaTime {
    fileprivate static func seconds(_ seconds: Int) -> MediaTime {
        MediaTime(nanoseconds: Int64(seconds) * 1_000_000_000)
    }
}

/// A file at the right speed: as many pictures as its rate has intervals, each in its own by its capture time.
@Suite struct SinkVideoTimingTests {
    /// Writes pictures captured at those times, seconds, and says which number each of the file's has.
    private func recorded(_ times: [Double], rate: Int = 30) throws -> [UInt32] {
        try withTemporaryDirectory { directory in
            let path = directory + "/timed.y4m"
            let writer = try Y4MWriter(path: path, frameRate: rate)
            let card = try TestCardSource(sender: 6, width: 320, height: 180)
            for time in times { writer.receive(try picture(of: card, at: time)) }
            try writer.close()
            let source = try Y4MSource(path: path)
            var numbers: [UInt32] = []
            while let frame = source.nextFrame(at: .zero) {
                numbers.append(try #require(TestCardReader.read(frame)).frameNumber)
            }
            return numbers
        }
    }

    @Test func slowPicturesAreRepeated() throws {
        #expect(try recorded([0, 1, 2, 3].map { Double($0) / 15 }) == [0, 0, 1, 1, 2, 2, 3])
        #expect(try recorded([0, 1.0 / 3]).count == 11)
    }

    @Test func fastPicturesAreLeftOut() throws {
        let numbers = try recorded((0..<7).map { Double($0) / 60 })
        #expect(numbers.count == 4 && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(arguments: [7.0, 15, 24, 29.97, 50])
    func lastsAsLongAsTheCapturing(rate: Double) throws {
        let count = Int(rate * 2)
        let length = try recorded((0..<count).map { Double($0) / rate }).count
        // From the first picture to the interval of the last.
        #expect(abs(Double(length - 1) / 30 - Double(count - 1) / rate) < 1.01 / 30)
    }

    @Test func jitterAroundTheRateRepeatsNothingForLong() throws {
        var generator = SeededGenerator(seed: 3)
        let times = (0..<60).map { Double($0) / 30 + Double.random(in: 0...0.01, using: &generator) }
        let numbers = try recorded(times)
        #expect(abs(numbers.count - 60) <= 1)
    }

    @Test func aLongPauseIsShortened() throws {
        let numbers = try recorded([0, 3_600, 3_600 + 1.0 / 30], rate: 30)
        #expect(numbers.count == Int(Y4MWriter.maximumPause) * 30 + 3)
        #expect(numbers.suffix(2) == [1, 2])
    }

    @Test func aClockThatGoesBackEndsNothing() throws {
        let times = [100.0, 100.1, 0, 0.1, 0.2]
        #expect(try recorded(times).last == 4)
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func noTimeIsTooFar(nanoseconds: Int64) throws {
        try withTemporaryDirectory { directory in
            let writer = try Y4MWriter(path: directory + "/far.y4m", frameRate: 1_000)
            for time in [nanoseconds, .max, .min, 0, nanoseconds] {
                writer.receive(VideoFrame(black: 2, by: 2, captureTime: MediaTime(nanoseconds: time)))
            }
            try writer.close()
        }
    }

    @Test func aServersFillersAreLeftOut() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/filled.y4m"
            let writer = try Y4MWriter(path: path)
            let card = try TestCardSource(sender: 6, width: 320, height: 180)
            let sink = TestCardSink(expectedSender: 6)
            let last = try picture(of: card, at: 0)
            let decoder = try VP8Decoder()
            var filler = try #require(
                try fillerBytes.withUnsafeBytes { try decoder.decode($0, captureTime: .seconds(1)) })
            #expect(fillerBytes.withUnsafeBytes { FillerPicture.matches($0, filler) })
            filler.isFiller = true
            for frame in [last, filler, filler] {
                writer.receive(frame)
                sink.receive(frame)
            }
            try writer.close()
            #expect(fileBytes(path).count < 2 * 320 * 180 * 3 / 2)
            #expect(sink.report.blank == 2 && sink.report.framesReceived == 1)
        }
    }

    @Test func realPicturesAreNoFillers() throws {
        let black = VideoFrame(black: 320, by: 180)
        let isFiller = try VP8Encoder().encode(black) { FillerPicture.matches($0.payload, black) }
        #expect(!isFiller)
        let bright = VideoFrame(buffer: VideoBuffer(width: 8, height: 8), captureTime: .zero)
        bright.buffer.planes.fill(y: 200, u: 128, v: 128)
        #expect(!fillerBytes.withUnsafeBytes { FillerPicture.matches($0, bright) })
    }
}

/// The black key frame of 8x8 with which servers end a track of VP8.
private let fillerBytes: [UInt8] = [
    0x10, 0x02, 0x00, 0x9d, 0x01, 0x2a, 0x08, 0x00, 0x08, 0x00, 0x00, 0x47, 0x08, 0x85, 0x85, 0x88, 0x85, 0x84, 0x88,
    0x02, 0x02, 0x00, 0x0c, 0x0d, 0x60, 0x00, 0xfe, 0xff, 0xab, 0x50, 0x80,
]

@Suite struct SinkVideoFileTests {
    @Test func y4mRoundTrip() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/card.y4m"
            let writer = try Y4MWriter(path: path, frameRate: 25)
            let card = try TestCardSource(sender: 6, width: 320, height: 180)
            for number in 0..<5 { writer.receive(try picture(of: card, at: Double(number) / 25)) }
            let large = try TestCardSource(sender: 6, width: 640, height: 360)
            writer.receive(try picture(of: large, at: 5 / 25))
            try writer.close()
            let source = try Y4MSource(path: path)
            #expect(source.width == 320 && source.height == 180 && source.frameRate == 25)
            for number in [0, 1, 2, 3, 4, 0] {
                let frame = try #require(source.nextFrame(at: .zero))
                #expect(TestCardReader.read(frame)?.frameNumber == UInt32(number))
            }
            #expect(source.nextFrame(at: .zero) == nil && !source.isTruncated)
        }
    }

    @Test func aFullDiskKeepsWholePictures() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/limited.y4m"
            let frameSize = 6 + 160 * 90 * 3 / 2
            let writer = try Y4MWriter(path: path, frameRate: 30, sizeLimit: 4 * frameSize)
            let card = try TestCardSource(sender: 6, width: 160, height: 90)
            for number in 0..<9 { writer.receive(try picture(of: card, at: Double(number) / 30)) }
            #expect(throws: MediaError.self) { try writer.close() }
            let source = try Y4MSource(path: path)
            for _ in 0..<3 { #expect(source.nextFrame(at: .zero) != nil) }
            #expect(source.nextFrame(at: .zero) == nil && !source.isTruncated)
        }
    }

    @Test func ivfCountsItsPicturesAlsoOnAFullDisk() throws {
        try withTemporaryDirectory { directory in
            func record(_ name: String, limit: Int) throws -> (bytes: [UInt8], failure: MediaError?) {
                let writer = try IVFWriter(path: directory + name, sizeLimit: limit)
                let delta = EncodedVideoFrame(
                    payload: [1] + [UInt8](repeating: 7, count: 999), isKeyFrame: false, width: 64, height: 64,
                    captureTime: .zero)
                let key: [UInt8] = [0x10, 0, 0, 0x9d, 0x01, 0x2a, 64, 0, 64, 0] + [UInt8](repeating: 0, count: 990)
                writer.receive(delta)
                writer.receive(
                    EncodedVideoFrame(payload: key, isKeyFrame: true, width: 64, height: 64, captureTime: .zero))
                for _ in 0..<99 { writer.receive(delta) }
                let failure = writer.failure
                do { try writer.close() } catch { #expect(failure != nil) }
                return (fileBytes(directory + name), failure)
            }
            let whole = try record("/whole.ivf", limit: .max)
            #expect(whole.failure == nil)
            #expect(whole.bytes[24] == 100 && whole.bytes.count == 32 + 100 * 1_012)
            #expect(try IVFFile(bytes: whole.bytes, name: "whole").frames.count == 100)
            let cut = try record("/cut.ivf", limit: 80_000)
            #expect(cut.failure != nil)
            #expect(cut.bytes[24] == 79)
            let file = try IVFFile(bytes: cut.bytes, name: "cut")
            #expect(file.frames.count == 79 && !file.isTruncated)
        }
    }

    @Test func aFullDeviceIsAnError() throws {
        try withFullDevice { path in
            let y4m = try Y4MWriter(path: path)
            for second in 0..<4 { y4m.receive(VideoFrame(black: 320, by: 180, captureTime: .seconds(second))) }
            #expect(throws: MediaError.self) { try y4m.close() }
        }
    }
}
