import CoBrowsingModel
import Foundation
import Synchronization
import Testing

@testable import CoBrowsing

/// Time that a test moves.
private final class HandClock: SharingClock {
    let time = Mutex<Int64>(0)
    var now: Int64 { time.withLock { $0 } }
    func wait(until time: Int64) async throws {}
}

@Suite(.timeLimit(.minutes(10))) struct FrameSourceTests {
    private static func folder(_ files: [String: [UInt8]]) throws -> String {
        let path = NSTemporaryDirectory() + "frames-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: path + "/" + name)) }
        return path
    }

    private static func png(_ red: UInt8) throws -> [UInt8] {
        let size = try #require(FrameSize(width: 20, height: 10))
        let rgb = ScreenFrame(size: size, red: red).rgb(size.rect)
        return try #require(PNGCodec.encode(rgb, width: 20, height: 10, most: 10_000))
    }

    @Test(arguments: [PNGDirectorySource.End.repeat, .stay, .finish])
    func aFolder(end: PNGDirectorySource.End) async throws {
        let views = #"[{"tag": "card", "rect": {"x": 1, "y": 2, "width": 3, "height": 4}}]"#
        let path = try Self.folder([
            "b.png": Self.png(2), "a.png": Self.png(1), "a.views.json": Array(views.utf8), "notes.txt": [1],
        ])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let clock = HandClock()
        let source = try PNGDirectorySource(path: path, interval: 500, end: end, clock: clock)
        var reds: [UInt8?] = []
        for time in [0, 499, 500, 999, 1_000, 1_600] as [Int64] {
            clock.time.withLock { $0 = time }
            let frame = try await source.capture()
            reds.append(frame?.pixels[0])
            if time == 0 {
                #expect(frame?.views == [.init(tag: "card", rect: PixelRect(x: 1, y: 2, width: 3, height: 4))])
            }
        }
        let last: [UInt8?] =
            switch end {
            case .repeat: [1, 2]
            case .stay: [2, 2]
            case .finish: [nil, nil]
            }
        #expect(reds == [1, 1, 2, 2] + last)
    }

    @Test func foldersThatAreNone() async throws {
        #expect(throws: FrameSourceError.self) { try PNGDirectorySource(path: "/nowhere/at/all") }
        let empty = try Self.folder(["x.jpg": [1]])
        let error = #expect(throws: FrameSourceError.self) { try PNGDirectorySource(path: empty) }
        #expect(error?.description.contains("no PNG") == true)
        let broken = try Self.folder(["x.png": [1, 2, 3]])
        let views = try Self.folder(["x.png": Self.png(1), "x.views.json": [0x7B]])
        for path in [broken, views] {
            let source = try PNGDirectorySource(path: path)
            await #expect(throws: FrameSourceError.self) { _ = try await source.capture() }
        }
        for path in [empty, broken, views] { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func raw(_ red: UInt8, _ format: RawFrameHeader.PixelFormat = .rgb) throws -> [UInt8] {
        let size = try #require(FrameSize(width: 4, height: 2))
        let view = ScreenFrame.View(tag: "card", rect: PixelRect(x: 1, y: 0, width: 2, height: 2))
        let pixel: [UInt8] =
            switch format {
            case .rgb: [red, 5, 9]
            case .rgba: [red, 5, 9, 0]
            case .bgra: [9, 5, red, 0]
            }
        return RawFrameHeader(size: size, format: format, views: 1).bytes + RawFrameHeader.bytes(of: view)
            + Array(repeatElement(pixel, count: 8).joined())
    }

    @Test(arguments: RawFrameHeader.PixelFormat.allCases)
    func aFileOfRawFrames(format: RawFrameHeader.PixelFormat) async throws {
        let path = try Self.folder(["frames": Self.raw(1, format) + Self.raw(7, format)])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = try RawFramePipe(path: path + "/frames")
        var last: ScreenFrame?
        while let frame = try await source.capture() { last = frame }
        #expect(last.map { Array($0.pixels.prefix(3)) } == [7, 5, 9])
        #expect(last?.views == [.init(tag: "card", rect: PixelRect(x: 1, y: 0, width: 2, height: 2))])
        await source.close()
    }

    /// A FIFO whose writer comes later, writes in pieces, and goes.
    @Test func aPipe() async throws {
        let path = try Self.folder([:]) + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let source = try RawFramePipe(path: path)
        let writer = try #require(FileHandle(forWritingAtPath: path))
        for piece in [Array(try Self.raw(3).prefix(5)), Array(try Self.raw(3).dropFirst(5))] {
            try writer.write(contentsOf: Data(piece))
        }
        #expect(try await source.capture()?.pixels[0] == 3)
        try writer.close()
        while try await source.capture() != nil {}
        await source.close()
    }

    @Test func pipesThatAreNone() async throws {
        #expect(throws: FrameSourceError.self) { try RawFramePipe(path: "/nowhere/at/all") }
        let good = try Self.raw(1)
        let path = try Self.folder(["cut": Array(good.dropLast()), "noise": [UInt8](repeating: 9, count: 100)])
        for (name, words) in [("cut", "inside of a frame"), ("noise", "CBR")] {
            let source = try RawFramePipe(path: path + "/" + name)
            let error = await #expect(throws: FrameSourceError.self) { while try await source.capture() != nil {} }
            #expect(error?.description.contains(words) == true, "\(name): \(error?.description ?? "")")
        }
        // Closed while a frame is awaited.
        let fifo = path + "/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        let silent = try RawFramePipe(path: fifo)
        async let frame = silent.capture()
        await silent.close()
        #expect(try await frame == nil)
        try? FileManager.default.removeItem(atPath: path)
    }

    @Test func noBrowser() async throws {
        let size = try #require(FrameSize(width: 200, height: 100))
        for (browser, url, words) in [
            ("", "https://example.org", "no browser is configured"),
            ("/nowhere", "https://example.org", "is no program"),
            ("/bin/sh", "javascript:1", "is no URL"), ("/bin/false", "data:text/html,x", "browser"),
        ] {
            let error = await #expect(throws: FrameSourceError.self) {
                _ = try await HeadlessPageSource(.init(browser: browser, url: url, size: size))
            }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
    }

    /// A real page in a real browser, where one is named: private elements are found where they are.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["CHROMIUM"] != nil))
    func aPage() async throws {
        let page = """
            data:text/html,<body style="margin:0;background:rgb(255,255,255)"><div data-private=card \
            style="position:absolute;left:50px;top:40px;width:60px;height:30px;background:rgb(255,0,0)"></div>
            """
        var configuration = HeadlessPageSource.Configuration(
            url: page, size: try #require(FrameSize(width: 200, height: 100)))
        configuration.arguments = ["--no-sandbox"]
        let source = try await HeadlessPageSource(configuration)
        // The page may not be there at once.
        var frame = try #require(try await source.capture())
        while frame.views.isEmpty { frame = try #require(try await source.capture()) }
        #expect(frame.size == configuration.size)
        #expect(frame.views == [.init(tag: "card", rect: PixelRect(x: 49, y: 39, width: 62, height: 32))])
        #expect(Array(frame.rgb(PixelRect(x: 60, y: 50, width: 1, height: 1))) == [255, 0, 0])
        var masks = PrivacyMasks()
        masks.addPrivateView("card")
        let colours = Set(MaskedFrame(frame, masks).frame.rgb(frame.size.rect))
        #expect(colours == [255, 0x60])
        await source.close()
        #expect(try await source.capture() == nil)
    }
}
