import Foundation
import Testing

@testable import CallArchive
@testable import MediaCore

/// Recordings of people who speak and show a test card, and what a composition of them holds.
private struct Cast {
    static let tones: [Double] = [440, 660, 880, 1_100]
    static let milliseconds: Int64 = 3_000
    let scratch: Scratch
    var parts: [Composition.Part] = []

    /// - Parameter begins: when each one comes.
    init(begins: [Int64]) throws {
        scratch = try Scratch()
        for (index, begin) in begins.enumerated() {
            let path = scratch.file("p\(index).webm")
            try Self.record(UInt16(index + 1), tone: Self.tones[index], begin: begin, to: path)
            parts.append(Composition.Part(path: path, stream: "p\(index)", begins: begin, ends: Self.milliseconds))
        }
    }

    /// The card's time is that of the archive, and the tone begins with the file.
    private static func record(_ sender: UInt16, tone: Double, begin: Int64, to path: String) throws {
        let card = try TestCardSource(sender: sender, width: 320, height: 180, frameRate: 25)
        let source = ToneSource(frequency: tone)
        let opus = try OpusEncoder(), vp8 = try VP8Encoder(.init(bitrate: 400_000, frameRate: 25))
        var writer = try MatroskaWriter(path: path, tracks: [.init(.opus), .init(.vp8)])
        var packet = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
        var samples = [Int16](repeating: 0, count: 960)
        for time in stride(from: Int64(0), to: milliseconds - begin, by: 20) {
            _ = samples.withUnsafeMutableBufferPointer { source.read(into: $0) }
            let length = try samples.withUnsafeBufferPointer { input in
                try packet.withUnsafeMutableBytes { try opus.encode(input, into: $0) }
            }
            writer.write(.init(track: 0, payload: Array(packet[..<length]), milliseconds: time, isKeyFrame: true))
            guard time % 40 == 0 else { continue }
            let now = MediaTime(nanoseconds: (begin + time) * 1_000_000)
            let frame = try #require(card.nextFrame(at: now))
            let encoded = try vp8.encode(frame) { EncodedVideoFrame($0) }
            writer.write(
                .init(
                    track: 1, payload: encoded.payload, milliseconds: time, isKeyFrame: encoded.isKeyFrame,
                    width: encoded.isKeyFrame ? 320 : 0, height: encoded.isKeyFrame ? 180 : 0))
        }
        writer.close()
    }

    func compose(_ change: (inout Composition) -> Void = { _ in }) throws -> Composed {
        var composition = Composition(parts: parts, milliseconds: Self.milliseconds)
        composition.width = 1_280
        composition.height = 720
        change(&composition)
        var composer = Composer(composition)
        #expect(composer.warnings.isEmpty)
        let size = try composer.compose(to: scratch.file("all.webm"))
        return try Composed(path: scratch.file("all.webm"), size: size)
    }
}

/// A composed file, decoded.
struct Composed {
    var pictures: [(time: Int64, picture: VideoFrame)] = []
    /// Mono, from the beginning on.
    var samples: [Int16] = []
    let file: WebMFile

    init(path: String, size: Int) throws {
        file = try WebMFile(path: path)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int == size)
        let vp8 = try VP8Decoder(), opus = try OpusDecoder()
        for block in file.payloads("V_VP8") {
            let picture = try block.payload.withUnsafeBytes { try vp8.decode($0) }
            pictures.append((block.milliseconds, try #require(picture)))
        }
        var room = [Int16](repeating: 0, count: OpusDecoder.maximumFrameCount)
        for block in file.payloads("A_OPUS") {
            let count = try room.withUnsafeMutableBufferPointer { output in
                try block.payload.withUnsafeBytes { try opus.decode($0, into: output) }
            }
            samples += room[..<count]
        }
    }

    /// What the card in a tile says at a time.
    func card(_ tile: LayoutTile, at time: Int64) -> TestCardReading? {
        guard let picture = pictures.last(where: { $0.time <= time })?.picture else { return nil }
        let part = picture.buffer.planes.part(x: tile.x, y: tile.y, width: tile.width, height: tile.height)
        return withExtendedLifetime(picture.buffer) { TestCardReader.read(part.readOnly) }
    }

    /// How strong a tone is in a span of 200 ms, as a share of the full scale (Goertzel).
    func strength(of hertz: Double, at milliseconds: Int) -> Double {
        let span = samples.dropFirst(milliseconds * 48).prefix(9_600)
        let factor = 2 * cos(2 * Double.pi * hertz / 48_000)
        var (first, second) = (0.0, 0.0)
        for sample in span { (first, second) = (Double(sample) / 32_768 + factor * first - second, first) }
        let power = first * first + second * second - factor * first * second
        return 2 * max(0, power).squareRoot() / 9_600
    }
}

@Suite struct ComposerTests {
    private static func tiles(_ layout: ArchiveLayout, _ count: Int) -> [LayoutTile] {
        layout.tiles(
            (0..<count).map { LayoutStream("p\($0)", width: 320, height: 180) }, width: 1_280, height: 720)
    }

    @Test func fourPartiesAreSeenAndHeard() throws {
        let composed = try Cast(begins: [0, 0, 0, 0]).compose()
        #expect(composed.file.tracks.map(\.codec) == ["A_OPUS", "V_VP8"])
        #expect(composed.file.tracks.last?.width == 1_280 && composed.file.tracks.last?.height == 720)
        let duration = try #require(composed.file.duration)
        #expect(abs(duration - 3_000) <= 60)
        for (index, tile) in Self.tiles(.bestFit, 4).enumerated() {
            let card = try #require(composed.card(tile, at: 1_500), "tile \(index)")
            #expect(card.sender == UInt16(index + 1))
            // The card knows when it was captured.
            #expect(abs(Int64(card.timeMicroseconds) / 1_000 - 1_500) <= 60)
        }
        for tone in Cast.tones { #expect(composed.strength(of: tone, at: 1_500) > 0.1, "\(tone) Hz") }
        #expect(composed.strength(of: 550, at: 1_500) < 0.02)
    }

    @Test func whoComesLaterIsSeenAndHeardFromThenOn() throws {
        let composed = try Cast(begins: [0, 1_400]).compose()
        #expect(composed.strength(of: 660, at: 1_100) < 0.02)
        #expect(composed.strength(of: 660, at: 1_500) > 0.1)
        let pair = Self.tiles(.bestFit, 2)
        let alone = Self.tiles(.bestFit, 1)
        #expect(composed.card(alone[0], at: 1_300)?.sender == 1)
        #expect(composed.card(pair[1], at: 1_500)?.sender == 2)
        // The beginning of the sound, to the millisecond, against that of the picture.
        let onset = try #require(
            stride(from: 1_200, to: 1_700, by: 5).first { composed.strength(of: 660, at: $0 - 200 + 20) > 0.005 })
        let shown = try #require(composed.pictures.first { composed.card(pair[1], at: $0.time)?.sender == 2 })
        #expect(abs(Int64(onset) - shown.time) < 60, "sound \(onset), picture \(shown.time)")
    }

    @Test func theLayoutChangesWhenItWasToldTo() throws {
        let composed = try Cast(begins: [0, 0]).compose {
            $0.changes = [
                (0, .layout(.bestFit)), (1_000, .layout(.verticalPresentation)),
                (2_000, .classes(stream: "p1", ["focus"])),
            ]
        }
        #expect(composed.card(Self.tiles(.bestFit, 2)[1], at: 900)?.sender == 2)
        let large = Self.tiles(.verticalPresentation, 2)[0]
        #expect(composed.card(large, at: 1_500)?.sender == 1)
        #expect(composed.card(large, at: 2_500)?.sender == 2)
    }

    @Test func soundAloneAndPicturesAloneArePossible() throws {
        let cast = try Cast(begins: [0])
        #expect(try cast.compose { $0.kinds = [.audio] }.file.tracks.map(\.codec) == ["A_OPUS"])
        #expect(try cast.compose { $0.kinds = [.video] }.file.tracks.map(\.codec) == ["V_VP8"])
    }

    @Test func aPartThatCannotBeReadIsNamedAndLeftOut() throws {
        let cast = try Cast(begins: [0])
        var composition = Composition(parts: cast.parts, milliseconds: 500)
        composition.parts.append(.init(path: cast.scratch.file("none.webm"), stream: "x", begins: 0, ends: 500))
        var composer = Composer(composition)
        #expect(composer.warnings.count == 1 && composer.warnings[0].contains("none.webm"))
        #expect(try composer.compose(to: cast.scratch.file("all.webm")) > 1_000)
    }

    @Test func aFullDiskIsTold() throws {
        let cast = try Cast(begins: [0])
        var composer = Composer(Composition(parts: cast.parts, milliseconds: 3_000))
        let failure = #expect(throws: MediaError.self) {
            try composer.compose(to: cast.scratch.file("all.webm"), sizeLimit: 20_000)
        }
        #expect(try #require(failure).kind == .unwritable)
    }
}
