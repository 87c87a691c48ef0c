import MediaCore

/// Frames that wait until all that belongs before them has come, in the order of their times.
struct FrameQueue: Sendable {
    struct Item: Sendable {
        var frame: ReceivedFrame
        var stream: Int
        /// On our clock, nanoseconds.
        var time: Int64
    }

    /// What more would take is dropped: sound first come, pictures up to the next key frame.
    static let byteLimit = 32 << 20
    /// Sound that begins less after the one before is the same once more.
    private static let doubleDistance: Int64 = 1_000_000

    private(set) var bytes = 0
    private var items: [Item] = []
    /// Time of the last frame that was let out, by kind.
    private var released: [MediaKind: Int64] = [:]

    var isEmpty: Bool { items.isEmpty }

    /// Takes in a frame; false for one that is here already, comes too late, or finds no room.
    mutating func insert(_ item: Item) -> Bool {
        var item = item
        let kind = item.frame.codec.kind
        guard bytes + item.frame.payload.count <= Self.byteLimit else { return false }
        let last = released[kind] ?? .min
        if kind == .audio {
            guard item.time > last, !hasSound(item) else { return false }
        } else {
            // Decoders need it, and in its place.
            item.time = max(item.time, newestPicture ?? last)
        }
        var index = items.count
        while index > 0, items[index - 1].time > item.time { index -= 1 }
        items.insert(item, at: index)
        bytes += item.frame.payload.count
        return true
    }

    /// The time of the frame that comes next.
    var nextTime: Int64? { items.first?.time }

    /// The first picture of those that wait.
    var firstPicture: ReceivedFrame? { items.first { $0.frame.codec.kind == .video }?.frame }

    /// The next frame of before `time`.
    mutating func next(before time: Int64) -> Item? {
        guard let first = items.first, first.time < time else { return nil }
        items.removeFirst()
        bytes -= first.frame.payload.count
        released[first.frame.codec.kind] = first.time
        return first
    }

    private var newestPicture: Int64? { items.last { $0.frame.codec.kind == .video }?.time }

    private func hasSound(_ item: Item) -> Bool {
        items.contains {
            $0.frame.codec.kind == .audio
                && ($0.stream == item.stream && $0.frame.timestamp == item.frame.timestamp
                    || abs($0.time - item.time) < Self.doubleDistance)
        }
    }
}
