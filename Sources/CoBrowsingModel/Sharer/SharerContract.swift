extension SharerMachine {
    /// What is to be encoded: disjoint rectangles of the frame whose digest was given.
    package struct Plan: Sendable, Hashable {
        package var number: UInt32
        package var base: UInt32
        package var size: FrameSize
        package var rects: [PixelRect]
        /// A step of the ladder, and what it means to an encoder.
        package var step: Int
        package var quality: Int
        package var isKey: Bool { base == 0 }
    }

    /// A rectangle that was encoded; one of the plan, or a part of one.
    package struct EncodedTile: Sendable, Hashable {
        package var rect: PixelRect
        package var format: TileFormat
        package var bytes: [UInt8]

        package init(rect: PixelRect, format: TileFormat, bytes: [UInt8]) {
            self.rect = rect
            self.format = format
            self.bytes = bytes
        }
    }

    package enum Action: Sendable, Hashable {
        case send(CoBrowsingMessage)
        case report(Report)
    }

    package enum Report: Sendable, Hashable {
        /// The relay lets us share.
        case began(CoBrowsingProperties, CoBrowsingParticipant)
        case viewers([String])
        case pointer(CoBrowsingPointer, from: String)
        /// A viewer asks to go back to the conversation, or takes back what they asked.
        case action(CoBrowsingAction, from: String)
        /// Once.
        case ended(CoBrowsingEnd, String?)
    }
}

/// How far a viewer has come.
struct ViewerProgress: Sendable, Hashable {
    var acknowledged: UInt32 = 0
    var lastHeard: Int64
    /// When something was last sent again for them.
    var repairedAt: Int64?
    /// What they miss comes after this frame; nil where they miss nothing that we know of.
    var missing: UInt32?
    /// Pointers of the running second.
    var pointers = 0
    var pointersSince: Int64

    init(now: Int64) {
        lastHeard = now
        pointersSince = now
        missing = 0
    }
}
