/// What sharer, viewers and the relay between them say. Version 1, big-endian:
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +---------------+---------------+-------------------------------+
///     |  version = 1  |     kind      |        session (high)         |
///     +---------------+---------------+-------------------------------+
///     |         session (low)         |  body, by kind ...            |
///     +-------------------------------+-------------------------------+
///
/// docs/co-browsing.md has the bodies. A message with another version, another kind or more bytes than its kind has is refused.
package struct CoBrowsingMessage: Sendable, Hashable {
    package static let version: UInt8 = 1

    /// Drawn by the sharer for each session; 0 where a message belongs to none.
    package var session: UInt32
    package var body: Body

    package init(_ session: UInt32, _ body: Body) {
        self.session = session
        self.body = body
    }

    /// By its kind.
    package enum Body: Sendable, Hashable {
        /// Sharer: a session begins.
        case start(FrameSize)
        /// Sharer, or the relay in their place: it is over.
        case stop(CoBrowsingEnd)
        /// Sharer: a frame, of which so many tiles follow.
        case frame(FrameHeader)
        /// Sharer: one of them.
        case tile(Tile)
        /// Sharer: frames up to this one were sent.
        case status(latest: UInt32)
        /// Viewer: frames up to this one are composed.
        case acknowledge(complete: UInt32)
        /// Viewer: something after this frame is missing; 0 asks for everything.
        case refresh(complete: UInt32)
        /// Viewer: points at something.
        case pointer(CoBrowsingPointer)
        /// Viewer: asks the sharer for something.
        case action(CoBrowsingAction)
        /// Relay: the first message on a channel.
        case welcome(Welcome)
        /// Relay, to the sharer: a viewer came or went.
        case presence(person: String, isPresent: Bool)
        /// Relay: what was asked can't be.
        case refusal(String)
    }

    package struct FrameHeader: Sendable, Hashable {
        /// 1, 2, 3 and so on in a session.
        package var number: UInt32
        /// Whoever has composed everything up to this frame has everything with `number`. 0: it needs nothing before it.
        package var base: UInt32
        package var size: FrameSize
        /// 1 to 4,096.
        package var tiles: Int
        /// Milliseconds of the sharer's clock, for delays; wraps around.
        package var capturedAt: UInt32

        package init(number: UInt32, base: UInt32, size: FrameSize, tiles: Int, capturedAt: UInt32) {
            self.number = number
            self.base = base
            self.size = size
            self.tiles = tiles
            self.capturedAt = capturedAt
        }
    }

    package struct Tile: Sendable, Hashable {
        package var frame: UInt32
        /// Below the frame's number of tiles.
        package var index: Int
        package var rect: PixelRect
        package var format: TileFormat
        /// 1 to 32,768 bytes.
        package var bytes: [UInt8]

        package init(frame: UInt32, index: Int, rect: PixelRect, format: TileFormat, bytes: [UInt8]) {
            self.frame = frame
            self.index = index
            self.rect = rect
            self.format = format
            self.bytes = bytes
        }
    }

    package struct Welcome: Sendable, Hashable {
        package var properties: CoBrowsingProperties
        /// What the receiver is in the conversation.
        package var participant: CoBrowsingParticipant
        /// Who shares; nil where nobody does. The message's session is theirs.
        package var sharer: String?

        package init(properties: CoBrowsingProperties, participant: CoBrowsingParticipant, sharer: String?) {
            self.properties = properties
            self.participant = participant
            self.sharer = sharer
        }
    }
}

/// How a tile is compressed.
public enum TileFormat: UInt8, Sendable, Hashable, CaseIterable {
    /// Baseline JPEG.
    case jpeg = 1
    /// PNG, eight bits, without interlacing: nothing is lost.
    case png = 2
    /// WebP, a single picture without alpha.
    case webp = 3
}

/// Where a viewer points, and how.
public struct CoBrowsingPointer: Sendable, Hashable {
    /// What the pointer does.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// It is there.
        case move = 0
        /// It marks the place.
        case mark = 1
        /// It is gone.
        case hide = 2
    }

    /// From the left edge, 0, to the right one, 65,535.
    public var x: UInt16
    /// From the upper edge, 0, to the lower one, 65,535.
    public var y: UInt16
    /// What it does.
    public var kind: Kind

    /// A pointer from its parts.
    public init(x: UInt16, y: UInt16, kind: Kind) {
        self.x = x
        self.y = y
        self.kind = kind
    }
}

/// What the button of sharing offers, and what viewers may ask for.
public enum CoBrowsingAction: UInt8, Sendable, Hashable, CaseIterable {
    /// Stop sharing.
    case stop = 0
    /// Go back to the conversation; sharing goes on.
    case `return` = 1
    /// Nothing: what was asked, or pointed at, is taken back.
    case cancel = 2
}

/// Why a session is over.
public enum CoBrowsingEnd: UInt8, Sendable, Hashable, CaseIterable, Error {
    /// Whoever shared stopped.
    case stopped = 0
    /// A viewer asked for it.
    case stoppedByViewer = 1
    /// The conversation has ended.
    case conversationEnded = 2
    /// The connection is gone.
    case connectionLost = 3
    /// There are no frames any more.
    case sourceEnded = 4
    /// What was shared could not be captured, or sent what nobody could read.
    case failed = 5
}
