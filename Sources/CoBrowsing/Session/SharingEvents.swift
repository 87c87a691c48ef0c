public import CoBrowsingModel
import Synchronization

/// What whoever shares is told.
public enum SharingEvent: Sendable, Hashable {
    /// People who watch, by their names.
    case viewers([String])
    /// A viewer points at something.
    case pointer(CoBrowsingPointer, from: String)
    /// A viewer asks to go back to the conversation, or takes back what they asked for.
    case action(CoBrowsingAction, from: String)
    /// The signs of sharing look so now.
    case indicators(CoBrowsingIndicators.Appearance)
    /// By the server's configuration there is neither a button nor a frame: whoever shares can't see that they do.
    case sharingIsInvisible
    /// A frame was sent; only where `ScreenCoBrowsing.Configuration.measures` is set.
    case frameSent(FrameMeasures)
    /// It is over. Words are for people, where there are some. The last event.
    case ended(CoBrowsingEnd, String?)
}

/// What whoever watches is told.
public enum WatchingEvent: Sendable, Hashable {
    /// Somebody shares from now on.
    case began(sharer: String, FrameSize)
    /// The picture has changed in these rectangles; `WatchedScreen.picture` has it.
    case changed([PixelRect])
    /// Sharing is over; it may begin again. Words are for people, where there are some.
    case ended(CoBrowsingEnd, String?)
}

/// What a frame cost.
public struct FrameMeasures: Sendable, Hashable {
    /// The frame's number in its session.
    public var number: UInt32
    /// Tiles that were sent, and their bytes.
    public var tiles: Int
    /// Bytes of all tiles.
    public var bytes: Int
    /// Bytes of the largest tile.
    public var largestTile: Int
    /// Bytes of the smallest tile.
    public var smallestTile: Int
    /// Quality that lossy tiles were encoded with, 1 to 100.
    public var quality: Int
    /// Milliseconds from the frame's capture to its last byte.
    public var milliseconds: Int
}

/// What a session has sent.
public struct SharingStatistics: Sendable, Hashable {
    /// Frames that were looked at.
    public var captured = 0
    /// Frames that were sent, for something of them had changed.
    public var frames = 0
    /// Tiles of them.
    public var tiles = 0
    /// Bytes of messages.
    public var bytes = 0
}

/// Whoever waits for the end of a session.
final class EndOfSession: Sendable {
    private let state = Mutex<(end: CoBrowsingEnd?, waiters: [CheckedContinuation<CoBrowsingEnd, Never>])>((nil, []))

    func wait() async -> CoBrowsingEnd {
        await withCheckedContinuation { continuation in
            let end = state.withLock { state in
                if state.end == nil { state.waiters.append(continuation) }
                return state.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    /// The first one counts.
    func set(_ end: CoBrowsingEnd) {
        let waiters = state.withLock { state in
            if state.end == nil { state.end = end }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: end) }
    }
}
