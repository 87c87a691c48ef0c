public import ClientModel
public import CoBrowsingModel
public import ConversationModel
import Synchronization

/// The co-browsing module: shares what a frame source captures, and watches what others share.
///
///     let sharing = ScreenCoBrowsing(.init { _ in try PNGDirectorySource(path: "screens") })
///     sharing.addPrivateView("card-number")
///     try environment.modules.register(sharing)
///     ...
///     try await client.startCoBrowsing(in: conversation.id)
public final class ScreenCoBrowsing: CoBrowsingModule {
    /// How a module shares.
    public struct Configuration: Sendable {
        /// Makes what frames come from, for each session. Nil: this module only watches.
        public var source: (@Sendable (Conversation) async throws -> any FrameSource)?
        /// How tiles are compressed.
        public var format = TileFormat.jpeg
        /// Whether each frame's cost is reported (`SharingEvent.frameSent`).
        public var measures = false
        /// The screen on which the signs of sharing are; nil is one of the size of the first frame.
        public var screen: CoBrowsingIndicators.Screen?
        /// Where on the screen what is shared lies; nil is all of it.
        public var capturingFrame: PixelRect?

        /// Shares what comes from that source.
        public init(source: @escaping @Sendable (Conversation) async throws -> any FrameSource) { self.source = source }

        /// Only watches.
        public init() {}
    }

    /// `coBrowsing`.
    public let name = ModuleName.coBrowsing
    private let configuration: Configuration
    private let privacy: PrivacyStore
    private let clock: any SharingClock

    /// A module whose private views and areas hold for all of its sessions.
    public convenience init(_ configuration: Configuration, privacy: PrivacyMasks = PrivacyMasks()) {
        self.init(configuration, privacy: privacy, clock: SystemSharingClock())
    }

    package init(_ configuration: Configuration, privacy: PrivacyMasks, clock: any SharingClock) {
        self.configuration = configuration
        self.privacy = PrivacyStore(privacy)
        self.clock = clock
    }

    // MARK: What is private

    /// What is covered now.
    public var masks: PrivacyMasks { privacy.masks }
    /// Covers all views of a tag from the next frame on.
    public func addPrivateView(_ tag: String) { privacy.change { $0.addPrivateView(tag) } }
    /// Shows the views of a tag again.
    public func removePrivateView(_ tag: String) { privacy.change { _ = $0.removePrivateView(tag) } }
    /// Covers an area from the next frame on. One of the same id moves.
    public func addPrivateArea(_ area: PrivacyMasks.Area) { privacy.change { $0.addPrivateArea(area) } }
    /// Shows an area again.
    public func removePrivateArea(id: String) { privacy.change { _ = $0.removePrivateArea(id: id) } }

    // MARK: Sessions

    /// Begins to share. Throws what the source throws, and `FrameSourceError`: there is no source, or no frame, or somebody
    /// shares already.
    public func share(
        in conversation: Conversation, over channel: any CoBrowsingChannel
    ) async throws -> any CoBrowsingSession {
        try await shareScreen(in: conversation, over: channel)
    }

    /// The same, with the session's own type.
    public func shareScreen(
        in conversation: Conversation, over channel: any CoBrowsingChannel
    ) async throws -> SharedScreen {
        let source: any FrameSource
        do {
            guard let make = configuration.source else {
                throw FrameSourceError("this module only watches; give its configuration a frame source")
            }
            source = try await make(conversation)
        } catch {
            await channel.close()
            throw error
        }
        let session = SharedScreen(
            channel: channel, source: source, configuration: configuration, privacy: privacy, clock: clock)
        try await session.begin()
        return session
    }

    /// Watches what somebody else shares, now or later.
    public func watch(
        in conversation: Conversation, over channel: any CoBrowsingChannel
    ) async throws -> any CoBrowsingSession { await watchScreen(over: channel) }

    /// The same, with the session's own type.
    public func watchScreen(over channel: any CoBrowsingChannel) async -> WatchedScreen {
        let session = WatchedScreen(channel: channel, clock: clock)
        await session.begin()
        return session
    }
}

/// What is private, shared by a module and its sessions.
final class PrivacyStore: Sendable {
    private let state: Mutex<PrivacyMasks>

    init(_ masks: PrivacyMasks) { state = Mutex(masks) }

    var masks: PrivacyMasks { state.withLock { $0 } }
    func change(_ body: (inout PrivacyMasks) -> Void) { state.withLock { body(&$0) } }
}
