import CoBrowsing
import CoBrowsingModel
import Synchronization

/// The screen that a visitor shares: a form with a number on it that is nobody else's business.
final class StoryScreen: FrameSource {
    /// Where the number is: the private area.
    static let secret = PixelRect(x: 80, y: 96, width: 160, height: 32)
    /// What the visitor types into while it is shared.
    static let field = PixelRect(x: 32, y: 32, width: 64, height: 16)
    /// A pixel within each.
    static let insideSecret = PixelRect(x: 120, y: 104, width: 1, height: 1)
    static let insideField = PixelRect(x: 40, y: 40, width: 1, height: 1)

    let reportsViews = true
    private let frame: Mutex<ScreenFrame>

    /// Nil for a machine on which no frame is possible.
    init?() {
        guard let size = FrameSize(width: 320, height: 240) else { return nil }
        var first = ScreenFrame(size: size, red: 240, green: 240, blue: 240)
        first.fill(Self.secret, red: 200, green: 30, blue: 30)
        frame = Mutex(first)
    }

    func capture() async throws -> ScreenFrame? { frame.withLock { $0 } }
    func close() async {}

    /// The visitor types.
    func type() { frame.withLock { $0.fill(Self.field, red: 10, green: 20, blue: 250) } }
}
