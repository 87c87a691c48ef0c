public import CoBrowsingModel
import Foundation
import Synchronization

/// A folder of PNG files as a screen: each is shown for a while, in the order of their names.
///
/// Views with tags are read from a file beside a picture, of its name with `.views.json` in place of `.png`:
/// `[{"tag": "card", "rect": {"x": 0, "y": 0, "width": 100, "height": 40}}]`. Pixels of the picture, as everywhere.
public final class PNGDirectorySource: FrameSource {
    /// What follows the last file.
    public enum End: Sendable, Hashable {
        /// The first one.
        case `repeat`
        /// It stays.
        case stay
        /// The end of the session.
        case finish
    }

    /// True.
    public let reportsViews = true
    private let files: [String]
    private let interval: Int64
    private let end: End
    private let clock: any SharingClock
    private let state = Mutex(State())

    private struct State {
        var began: Int64?
        /// The file that was read last, and what was in it.
        var index = -1
        var frame: ScreenFrame?
    }

    /// Throws `FrameSourceError` where the folder can't be read, or has no PNG file.
    ///
    /// - Parameter interval: milliseconds of a file; at least 1.
    public convenience init(path: String, interval: Int = 1_000, end: End = .repeat) throws(FrameSourceError) {
        try self.init(path: path, interval: interval, end: end, clock: SystemSharingClock())
    }

    package init(path: String, interval: Int, end: End, clock: any SharingClock) throws(FrameSourceError) {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw FrameSourceError("the folder \(path) can't be read: \(error.localizedDescription)")
        }
        files = names.filter { $0.lowercased().hasSuffix(".png") }.sorted().map { path + "/" + $0 }
        guard !files.isEmpty else { throw FrameSourceError("the folder \(path) has no PNG file; put one into it") }
        self.interval = Int64(max(interval, 1))
        self.end = end
        self.clock = clock
    }

    /// The newest frame.
    public func capture() async throws -> ScreenFrame? {
        let now = clock.now
        return try state.withLock { state in
            let began = state.began ?? now
            state.began = began
            let count = Int((now - began) / interval)
            if end == .finish, count >= files.count { return nil }
            let index = end == .repeat ? count % files.count : min(count, files.count - 1)
            if index != state.index {
                state.frame = try Self.read(files[index])
                state.index = index
            }
            return state.frame
        }
    }

    /// Nothing is captured any more.
    public func close() async {}

    private static func read(_ path: String) throws -> ScreenFrame {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FrameSourceError("\(path) can't be read")
        }
        guard var frame = PNGCodec.frame(Array(data)) else {
            throw FrameSourceError("\(path) is no PNG of at most 4096x4096 pixels")
        }
        let beside = path.dropLast(4) + ".views.json"
        if let views = FileManager.default.contents(atPath: String(beside)) {
            do { frame.views = try JSONDecoder().decode([ScreenFrame.View].self, from: views) } catch {
                // What may be private is not shown uncovered.
                throw FrameSourceError("\(beside) is no list of views: \(error)")
            }
        }
        return frame
    }
}
