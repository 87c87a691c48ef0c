/// How media follows what is looked at. A provider that lacks one of these ignores it.
public struct StreamingOptions: Sendable, Hashable {
    /// Remote video is received in the size in which it is shown, and not while it is hidden: `Call.setVideoLayout`.
    public var adaptiveStream: Bool
    /// Layers of our own video that nobody looks at are neither encoded nor sent.
    public var dynacast: Bool

    /// No adaptive streaming, because it needs an application that tells its layout; dynacast.
    public init(adaptiveStream: Bool = false, dynacast: Bool = true) {
        self.adaptiveStream = adaptiveStream
        self.dynacast = dynacast
    }
}
