import Foundation
import Testing

@testable import CallArchive
@testable import MediaCore

@Suite struct MatroskaWriterTests {
    private static func sound(_ time: Int64) -> MatroskaWriter.Frame {
        .init(
            track: 0, payload: [0xf8, 0xff, UInt8(truncatingIfNeeded: time / 20)], milliseconds: time, isKeyFrame: true)
    }

    private static func picture(_ time: Int64, key: Bool = false) -> MatroskaWriter.Frame {
        .init(
            track: 1, payload: [UInt8](repeating: key ? 0 : 1, count: 1_000), milliseconds: time, isKeyFrame: key,
            width: key ? 1_280 : 0, height: key ? 720 : 0)
    }

    private static func write(_ range: Range<Int64>, to writer: inout MatroskaWriter) {
        for time in range where time % 20 == 0 {
            writer.write(sound(time))
            if time % 40 == 0 { writer.write(picture(time, key: time == range.lowerBound)) }
        }
    }

    @Test func aFileHasItsTracksTimesAndDuration() throws {
        let scratch = try Scratch()
        let path = scratch.file("a.webm")
        var writer = try MatroskaWriter(path: path, tracks: [.init(.opus), .init(.vp8)])
        Self.write(0..<2_000, to: &writer)
        writer.close()
        #expect(writer.failure == nil)
        let file = try WebMFile(path: path)
        #expect(file.docType == "webm")
        #expect(file.tracks.map(\.codec) == ["A_OPUS", "V_VP8"])
        #expect(file.tracks[1].width == 1_280 && file.tracks[1].height == 720)
        #expect(file.times("A_OPUS") == (0..<100).map { $0 * 20 })
        #expect(file.times("V_VP8") == (0..<50).map { $0 * 40 })
        #expect(file.payloads("V_VP8").map(\.isKeyFrame) == [true] + [Bool](repeating: false, count: 49))
        #expect(abs(try #require(file.duration) - 1_980) <= 20)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        #expect((attributes[.size] as? Int) == writer.size)
    }

    @Test func aFileThatIsCutShortPlaysUpToItsLastSecond() throws {
        let scratch = try Scratch()
        let path = scratch.file("a.webm")
        var writer = try MatroskaWriter(path: path, tracks: [.init(.opus), .init(.vp8)])
        Self.write(0..<5_000, to: &writer)
        // What a process that is killed here leaves behind.
        try FileManager.default.copyItem(atPath: path, toPath: scratch.file("cut.webm"))
        writer.close()
        let file = try WebMFile(path: scratch.file("cut.webm"))
        #expect(file.tracks.map(\.codec) == ["A_OPUS", "V_VP8"])
        #expect(try #require(file.times("A_OPUS").last) >= 4_500)
        #expect(try #require(file.times("V_VP8").last) >= 4_500)
        #expect(try #require(file.duration) >= 4_000)
        let reader = try MatroskaReader(path: scratch.file("cut.webm"))
        var last: Int64 = 0
        while let frame = reader.next() { last = max(last, frame.milliseconds) }
        #expect(last >= 4_500)
    }

    @Test func aTrackStandsInTheHeadOnceItHasFrames() throws {
        let scratch = try Scratch()
        let path = scratch.file("a.webm")
        var writer = try MatroskaWriter(path: path, tracks: [.init(.opus), .init(.vp8)])
        #expect(try WebMFile(path: path).tracks.isEmpty)
        writer.write(Self.sound(0))
        #expect(try WebMFile(path: path).tracks.map(\.codec) == ["A_OPUS"])
        writer.write(Self.picture(20, key: true))
        #expect(try WebMFile(path: path).tracks.map(\.codec) == ["A_OPUS", "V_VP8"])
        writer.close()
    }

    @Test func aTrackWithoutFramesIsNotThere() throws {
        let scratch = try Scratch()
        let path = scratch.file("a.webm")
        var writer = try MatroskaWriter(path: path, tracks: [.init(.opus), .init(.vp8)])
        for time in stride(from: Int64(0), to: 1_000, by: 20) { writer.write(Self.sound(time)) }
        writer.close()
        #expect(try WebMFile(path: path).tracks.map(\.codec) == ["A_OPUS"])
        #expect(try MatroskaReader(path: path).codecs == [.opus])
    }

    @Test func aFullDiskKeepsWhatWasWritten() throws {
        let scratch = try Scratch()
        let path = scratch.file("a.webm")
        var writer = try MatroskaWriter(path: path, tracks: [.init(.opus), .init(.vp8)], sizeLimit: 40_000)
        Self.write(0..<5_000, to: &writer)
        writer.close()
        let failure = try #require(writer.failure)
        #expect(failure.kind == .unwritable && failure.subject == path)
        #expect(failure.description.contains("what was written is kept"))
        let file = try WebMFile(path: path)
        #expect(try #require(file.times("V_VP8").last) > 500)
    }

    @Test func aDeviceThatIsFullSaysSo() throws {
        let failure = #expect(throws: MediaError.self) {
            var writer = try MatroskaWriter(path: "/dev/full", tracks: [.init(.opus)])
            writer.close()
        }
        #expect(try #require(failure).remedy.contains("free space"))
    }

    @Test func whatWebMDoesNotTakeBecomesMatroska() throws {
        let scratch = try Scratch()
        let path = scratch.file("a.mkv")
        // A sequence and a picture parameter set of 16x16, baseline.
        let setup: [UInt8] = [
            0, 0, 0, 1, 0x67, 0x42, 0x00, 0x0a, 0xf8, 0x41, 0xa2, 0, 0, 0, 1, 0x68, 0xce, 0x38, 0x80,
        ]
        var writer = try MatroskaWriter(path: path, tracks: [.init(.opus), .init(.h264, setup: setup)])
        writer.write(.init(track: 1, payload: setup + [0, 0, 0, 1, 0x65, 1, 2, 3], milliseconds: 0, isKeyFrame: true))
        writer.close()
        let file = try WebMFile(path: path)
        #expect(file.docType == "matroska")
        #expect(file.tracks.map(\.codec) == ["V_MPEG4/ISO/AVC"])
    }
}
