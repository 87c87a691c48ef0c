import CoBrowsing
import CoBrowsingModel
import ScenarioCore
import Synchronization

/// The screen that a visitor shares: a form with a number on it that is nobody else's business.
final class StoryScreen: FrameSource {
    /// Where the number is: the private area.
    let secret: PixelRect
    /// What the visitor types into while it is shared, and a pixel within.
    static let field = PixelRect(StoryMask.field)
    static let insideField = PixelRect(x: field.x + 8, y: field.y + 8, width: 1, height: 1)

    let reportsViews = true
    private let frame: Mutex<ScreenFrame>

    /// Nil for a machine on which no frame is possible.
    init?(secret: StoryMask) {
        guard let size = FrameSize(width: StoryMask.screen.width, height: StoryMask.screen.height) else { return nil }
        self.secret = PixelRect(secret)
        var first = ScreenFrame(size: size, red: 240, green: 240, blue: 240)
        first.fill(self.secret, red: 200, green: 30, blue: 30)
        frame = Mutex(first)
    }

    func capture() async throws -> ScreenFrame? { frame.withLock { $0 } }
    func close() async {}

    /// The visitor types.
    func type() { frame.withLock { $0.fill(Self.field, red: 10, green: 20, blue: 250) } }
}

extension PixelRect {
    fileprivate init(_ mask: StoryMask) { self.init(x: mask.x, y: mask.y, width: mask.width, height: mask.height) }
}
