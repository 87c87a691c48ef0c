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
        let full = try WAVWriter(path: "/dev/full")
        for _ in 0..<100 { full.receive(AudioFrame(silence: 480)) }
        let error = try #require(throws: MediaError.self) { try full.close() }
        #expect(error.description.contains("No space left") && error.remedy.contains("free space"))
    }

    @Test func aPathThatCantBeWrittenIsNamed() throws {
        let error = try #require(throws: MediaError.self) { _ = try WAVWriter(path: "/nonexistent/out.wav") }
        #expect(error.kind == .unwritable && error.subject == "/nonexistent/out.wav")
    }
}

@Suite struct SinkVideoFileTests {
    @Test func y4mRoundTrip() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/card.y4m"
            let writer = try Y4MWriter(path: path, frameRate: 25)
            let card = try TestCardSource(sender: 6, width: 320, height: 180)
            for _ in 0..<5 { writer.receive(try #require(card.nextFrame(at: .zero))) }
            let large = try TestCardSource(sender: 6, width: 640, height: 360)
            writer.receive(try #require(large.nextFrame(at: .zero)))
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
            for _ in 0..<9 { writer.receive(try #require(card.nextFrame(at: .zero))) }
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
        let y4m = try Y4MWriter(path: "/dev/full")
        for _ in 0..<4 { y4m.receive(VideoFrame(black: 320, by: 180)) }
        #expect(throws: MediaError.self) { try y4m.close() }
    }
}
