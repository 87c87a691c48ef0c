import CoBrowsingModel
import Foundation
import Testing

@Suite struct CoBrowsingWireTests {
    static let size = FrameSize(width: 390, height: 844)!
    static let tile = CoBrowsingMessage.Tile(
        frame: 7, index: 3, rect: PixelRect(x: 64, y: 128, width: 64, height: 64), format: .webp, bytes: [1, 2, 3])
    static let welcome = CoBrowsingMessage.Welcome(
        properties: {
            var properties = CoBrowsingProperties()
            properties.framesPerSecond = 12
            properties.controls = [.assignedAgent, .secondaryVisitor]
            properties.showsCapturingFrame = false
            return properties
        }(), participant: .contextPerson, sharer: "vera ü")

    static let bodies: [CoBrowsingMessage.Body] = [
        .start(size), .stop(.stoppedByViewer),
        .frame(.init(number: 8, base: 5, size: size, tiles: 12, capturedAt: 0xDEAD_BEEF)), .tile(tile),
        .status(latest: 9), .acknowledge(complete: 8), .refresh(complete: 0),
        .pointer(CoBrowsingPointer(x: 65_535, y: 1, kind: .mark)), .action(.return), .welcome(welcome),
        .presence(person: "ada", isPresent: true), .refusal("no"),
    ]

    @Test(arguments: bodies) func roundTrip(_ body: CoBrowsingMessage.Body) throws {
        let message = CoBrowsingMessage(0x0102_0304, body)
        let bytes = message.bytes
        #expect(try CoBrowsingMessage(parsing: bytes) == message)
        for count in 0..<bytes.count {
            // A tile may be shorter; everything else ends too soon.
            if case .tile = body, count > 19 { continue }
            #expect(throws: CoBrowsingWireError.self) { try CoBrowsingMessage(parsing: Array(bytes.prefix(count))) }
        }
        if case .tile = body { return }
        #expect(throws: CoBrowsingWireError.self) { try CoBrowsingMessage(parsing: bytes + [0]) }
    }

    /// Bytes that were written by hand from the document.
    @Test func vectors() throws {
        let frame: [UInt8] = [
            1, 3, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 1, 1, 0x86, 3, 0x4C, 0, 4, 0, 0, 1, 0,
        ]
        #expect(
            try CoBrowsingMessage(parsing: frame)
                == CoBrowsingMessage(9, .frame(.init(number: 2, base: 1, size: Self.size, tiles: 4, capturedAt: 256))))
        let tile: [UInt8] = [1, 4, 0, 0, 0, 9, 0, 0, 0, 7, 0, 3, 0, 64, 0, 128, 0, 64, 0, 64, 3, 1, 2, 3]
        #expect(try CoBrowsingMessage(parsing: tile) == CoBrowsingMessage(9, .tile(Self.tile)))
        let pointer: [UInt8] = [1, 8, 0, 0, 0, 9, 0x80, 0, 0x40, 0, 1]
        #expect(
            try CoBrowsingMessage(parsing: pointer)
                == CoBrowsingMessage(9, .pointer(CoBrowsingPointer(x: 0x8000, y: 0x4000, kind: .mark))))
        let welcome: [UInt8] = [1, 10, 0, 0, 0, 0, 5, 0b0101, 1, 1, 3, 0x61, 0x64, 0x61]
        guard case .welcome(let read) = try CoBrowsingMessage(parsing: welcome).body else {
            Issue.record("no welcome")
            return
        }
        #expect(read.sharer == "ada" && read.properties.controls == [.assignedAgent, .secondaryAgent])
    }

    @Test(
        arguments: [
            [2, 1, 0, 0, 0, 1, 0, 1, 0, 1], [1, 0, 0, 0, 0, 1], [1, 13, 0, 0, 0, 1],
            [1, 1, 0, 0, 0, 1, 0, 0, 0, 1], [1, 1, 0, 0, 0, 1, 0x10, 1, 0, 1],
            // A frame that needs itself, one of no tiles, one of 4,097.
            [1, 3, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0],
            [1, 3, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0],
            [1, 3, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 1, 0, 1, 0, 1, 0x10, 1, 0, 0, 0, 0],
            // A tile without width, beyond the largest frame, of no format, without bytes.
            [1, 4, 0, 0, 0, 9, 0, 0, 0, 7, 0, 3, 0, 0, 0, 0, 0, 0, 0, 64, 3, 1],
            [1, 4, 0, 0, 0, 9, 0, 0, 0, 7, 0, 3, 0x0F, 0xFF, 0, 0, 0, 2, 0, 64, 3, 1],
            [1, 4, 0, 0, 0, 9, 0, 0, 0, 7, 0, 3, 0, 0, 0, 0, 0, 64, 0, 64, 4, 1],
            [1, 4, 0, 0, 0, 9, 0, 0, 0, 7, 0, 3, 0, 0, 0, 0, 0, 64, 0, 64, 3],
            [1, 4, 0, 0, 0, 9, 0, 0, 0, 7, 0x10, 0, 0, 0, 0, 0, 0, 64, 0, 64, 3, 1],
            [1, 10, 0, 0, 0, 0, 0, 15, 1, 1, 0], [1, 10, 0, 0, 0, 0, 31, 15, 1, 1, 0],
            [1, 10, 0, 0, 0, 0, 5, 16, 1, 1, 0],
            [1, 10, 0, 0, 0, 0, 5, 15, 2, 1, 0], [1, 11, 0, 0, 0, 0, 1, 2, 0xC3, 0x28], [1, 9, 0, 0, 0, 1, 3],
        ] as [[UInt8]])
    func refused(_ bytes: [UInt8]) {
        #expect(throws: CoBrowsingWireError.self) { try CoBrowsingMessage(parsing: bytes) }
    }

    @Test func longestTile() throws {
        var tile = Self.tile
        tile.bytes = [UInt8](repeating: 7, count: CoBrowsingBounds.longestTile)
        let bytes = CoBrowsingMessage(1, .tile(tile)).bytes
        #expect(try CoBrowsingMessage(parsing: bytes).bytes == bytes)
        #expect(throws: CoBrowsingWireError.self) { try CoBrowsingMessage(parsing: bytes + [7]) }
    }

    @Test func envelopes() {
        let envelope = CoBrowsingEnvelope(sender: "vera ü", message: [1, 2, 3])
        #expect(CoBrowsingEnvelope(parsing: envelope.bytes) == envelope)
        #expect(CoBrowsingEnvelope(parsing: [0]) == CoBrowsingEnvelope(sender: "", message: []))
        #expect(CoBrowsingEnvelope(parsing: []) == nil && CoBrowsingEnvelope(parsing: [3, 0x61]) == nil)
        let long = CoBrowsingEnvelope(sender: String(repeating: "ü", count: 200), message: [])
        #expect(CoBrowsingEnvelope(parsing: long.bytes)?.sender == String(repeating: "ü", count: 127))
    }

    /// Mutations of good messages, and noise.
    @Test func hostileBytes() {
        var random = SeededGenerator(11)
        let seeds = Self.bodies.map { CoBrowsingMessage(1, $0).bytes }
        for _ in 0..<3_000 {
            var bytes = seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            bytes.withUnsafeBytes { CoBrowsingFuzzing.message($0) }
            let course = (0..<6).flatMap { _ in
                let one = seeds.randomElement(using: &random) ?? []
                return [UInt8(min(one.count, 63)) | UInt8.random(in: 0...3, using: &random) << 6] + one.prefix(63)
            }
            course.withUnsafeBytes { CoBrowsingFuzzing.peers($0) }
            bytes.withUnsafeBytes { CoBrowsingFuzzing.rawFrame($0) }
        }
    }

    /// Inputs that once ended a process stay harmless.
    @Test func crashers() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzz/Crashers")
        for (name, run) in CoBrowsingFuzzing.bodies {
            let folder = root.appending(path: name)
            for file in (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
                ?? []
            {
                try Data(contentsOf: file).withUnsafeBytes { run($0) }
            }
        }
    }

    @Test func rawFrameHeaders() throws {
        let header = RawFrameHeader(size: Self.size, format: .bgra, views: 2)
        #expect(header.bytes == [0x43, 0x42, 0x52, 1, 1, 0x86, 3, 0x4C, 3, 2, 0, 0])
        #expect(try RawFrameHeader(parsing: header.bytes) == header)
        for at in [0, 3, 4, 8, 9, 10] {
            var bytes = header.bytes
            bytes[at] = 0xFF
            #expect(throws: CoBrowsingWireError.self) { try RawFrameHeader(parsing: bytes) }
        }
        let view = ScreenFrame.View(tag: "card", rect: PixelRect(x: 1, y: 2, width: 300, height: 4))
        #expect(try RawFrameHeader.view(parsing: RawFrameHeader.bytes(of: view)) == view)
        #expect(throws: CoBrowsingWireError.self) { try RawFrameHeader.viewLength(tag: 0) }
        #expect(throws: CoBrowsingWireError.self) { try RawFrameHeader.viewLength(tag: 65) }
        let two = try #require(FrameSize(width: 2, height: 1))
        let frame = RawFrameHeader(size: two, format: .bgra).frame([3, 2, 1, 0, 6, 5, 4, 0], views: [view])
        #expect(frame?.pixels == [1, 2, 3, 255, 4, 5, 6, 255] && frame?.views == [view])
        #expect(
            RawFrameHeader(size: two, format: .rgb).frame([1, 2, 3, 4, 5, 6], views: [])?.pixels
                == [1, 2, 3, 255, 4, 5, 6, 255])
        #expect(RawFrameHeader(size: two, format: .rgba).frame([1], views: []) == nil)
    }
}

/// SplitMix64: the same numbers everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
