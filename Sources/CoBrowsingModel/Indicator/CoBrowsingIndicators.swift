/// The two signs of sharing as a pure reducer: a button with a menu, and a frame around what is shared. Beside them one of the
/// conversation's and the call's indicators may be on the screen.
///
/// The server's configuration says who has the button and whether there is a frame. Without the button sharing ends only with
/// the conversation; without both, whoever shares can't see that they do, and that is warned of.
public struct CoBrowsingIndicators: Sendable, Hashable {
    /// What indicators are told.
    public enum Event: Sendable, Hashable {
        /// Sharing has begun, of this part of the screen.
        case began(PixelRect)
        /// What is shared lies elsewhere now.
        case moved(PixelRect)
        /// Sharing is over.
        case ended
        /// The conversation's window was opened or closed.
        case conversationWindow(isVisible: Bool)
        /// The button was dragged there; its upper left corner.
        case dragged(x: Int, y: Int)
        /// A click on the button. The application may act on it instead.
        case pressed(isHandledByApplication: Bool)
        /// A choice from the button's menu.
        case chose(CoBrowsingAction)
    }

    /// What is to be done.
    public enum Action: Sendable, Hashable {
        /// Draw them so from now on.
        case show(Appearance)
        /// Say that sharing can't be seen.
        case warnOfInvisibleSharing
        /// End the session.
        case stopSharing
        /// Show the conversation's window.
        case returnToConversation
    }

    /// How they are drawn.
    public struct Appearance: Sendable, Hashable {
        /// Whether there is a button.
        public var isButtonVisible = false
        /// Its upper left corner, in pixels of the screen; never in the status bar.
        public var buttonX = 0
        /// Its upper left corner, in pixels of the screen; never in the status bar.
        public var buttonY = 0
        /// The frame around what is shared; nil where there is none.
        public var capturingFrame: PixelRect?
        /// What the open menu offers; nil where it is closed.
        public var menu: [CoBrowsingAction]?
    }

    /// The screen that they are on.
    public struct Screen: Sendable, Hashable {
        /// Pixels.
        public var size: FrameSize
        /// Height of the status bar, in pixels.
        public var statusBar: Int
        /// Width and height of the button, in pixels.
        public var button: Int

        /// A screen from its parts, in pixels.
        public init(size: FrameSize, statusBar: Int = 0, button: Int = 56) {
            self.size = size
            self.statusBar = statusBar
            self.button = button
        }
    }

    /// How they are drawn now.
    public private(set) var appearance = Appearance()
    private let properties: CoBrowsingProperties
    private let participant: CoBrowsingParticipant
    private let screen: Screen
    private var isSharing = false
    private var isWindowVisible = false

    /// - Parameters:
    ///   - properties: the server's configuration.
    ///   - participant: what whoever shares is in the conversation.
    public init(properties: CoBrowsingProperties, participant: CoBrowsingParticipant, screen: Screen) {
        self.properties = properties
        self.participant = participant
        self.screen = screen
        place(x: screen.size.width, y: screen.size.height)
    }

    /// Whether neither the button nor the frame is there while somebody shares.
    public var isSharingInvisible: Bool {
        isSharing && !appearance.isButtonVisible && appearance.capturingFrame == nil
    }

    /// Takes an event in; says what follows, in order.
    public mutating func apply(_ event: Event) -> [Action] {
        let before = appearance
        let actions = note(event)
        return (appearance == before ? [] : [.show(appearance)]) + actions
    }

    private mutating func note(_ event: Event) -> [Action] {
        switch event {
        case .began(let rect):
            guard !isSharing else { return [] }
            isSharing = true
            appearance.isButtonVisible = properties.controls.contains(participant)
            appearance.capturingFrame = properties.showsCapturingFrame ? rect : nil
            return isSharingInvisible ? [.warnOfInvisibleSharing] : []
        case .moved(let rect): if appearance.capturingFrame != nil { appearance.capturingFrame = rect }
        case .ended:
            isSharing = false
            appearance.isButtonVisible = false
            appearance.capturingFrame = nil
            appearance.menu = nil
        case .conversationWindow(let isVisible):
            isWindowVisible = isVisible
            if appearance.menu != nil { appearance.menu = choices }
        case .dragged(let x, let y): if appearance.isButtonVisible { place(x: x, y: y) }
        case .pressed(let isHandled):
            if appearance.isButtonVisible, !isHandled { appearance.menu = choices }
        case .chose(let action): return choose(action)
        }
        return []
    }

    /// There is nothing to return to for who is there.
    private var choices: [CoBrowsingAction] { isWindowVisible ? [.stop, .cancel] : [.stop, .return, .cancel] }

    private mutating func choose(_ action: CoBrowsingAction) -> [Action] {
        guard appearance.menu?.contains(action) == true else { return [] }
        appearance.menu = nil
        switch action {
        case .stop: return [.stopSharing]
        case .return: return [.returnToConversation]
        case .cancel: return []
        }
    }

    private mutating func place(x: Int, y: Int) {
        let top = max(screen.statusBar, 0)
        appearance.buttonX = min(max(x, 0), max(screen.size.width - screen.button, 0))
        appearance.buttonY = max(min(max(y, top), screen.size.height - screen.button), top)
    }
}
