public import CoBrowsingModel

/// Where frames come from.
public protocol FrameSource: Sendable {
    /// Whether frames say where views with tags lie. Private views can't be covered otherwise, and sharing is refused where
    /// there are some.
    var reportsViews: Bool { get }
    /// The screen as it is now; nil where there is nothing any more. It may wait for a first frame. What it throws ends the
    /// session, and is shown to people.
    ///
    /// Asked as often as frames may be sent, and one call at a time.
    func capture() async throws -> ScreenFrame?
    /// The session is over.
    func close() async
}

/// Why there are no frames.
public struct FrameSourceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence that names the input and the remedy.
    public let description: String

    package init(_ description: String) { self.description = description }
}
