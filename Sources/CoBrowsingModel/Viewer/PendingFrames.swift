/// Frames that have come in part. Tiles may come before their frame's header; the bounds hold all the same.
struct PendingFrames: Sendable {
    private struct Frame: Sendable {
        var header: CoBrowsingMessage.FrameHeader?
        var tiles: [Int: CoBrowsingMessage.Tile] = [:]
        var bytes = 0
        var pixels = 0

        var isWhole: Bool { header.map { tiles.count == $0.tiles } ?? false }
    }

    private var frames: [UInt32: Frame] = [:]
    private var bytes = 0

    var count: Int { frames.count }
    var heldBytes: Int { bytes }

    /// What is wrong with it, for people; nil where nothing is.
    mutating func add(_ header: CoBrowsingMessage.FrameHeader) -> String? {
        guard var frame = room(for: header.number) else { return nil }
        guard frame.header == nil || frame.header == header else { return "frame \(header.number) has two headers" }
        frame.header = header
        guard frame.tiles.values.allSatisfy({ Self.fits($0, header) }), frame.pixels <= header.size.area else {
            return "tiles that don't fit frame \(header.number)"
        }
        frames[header.number] = frame
        return nil
    }

    mutating func add(_ tile: CoBrowsingMessage.Tile) -> String? {
        guard var frame = room(for: tile.frame), frame.tiles[tile.index] == nil else { return nil }
        guard bytes + tile.bytes.count <= CoBrowsingBounds.pendingBytes else {
            return "more than \(CoBrowsingBounds.pendingBytes) bytes of frames that are not whole"
        }
        // A sharer's tiles never lie over one another: more pixels than the frame has are an attack.
        frame.pixels += tile.rect.area
        let most = frame.header?.size.area ?? CoBrowsingBounds.longestSide * CoBrowsingBounds.longestSide
        guard frame.pixels <= most, frame.header.map({ Self.fits(tile, $0) }) ?? true else {
            return "tiles that don't fit frame \(tile.frame)"
        }
        frames.removeValue(forKey: tile.frame)
        frame.tiles[tile.index] = tile
        frame.bytes += tile.bytes.count
        bytes += tile.bytes.count
        frames[tile.frame] = frame
        return nil
    }

    private static func fits(_ tile: CoBrowsingMessage.Tile, _ header: CoBrowsingMessage.FrameHeader) -> Bool {
        tile.index < header.tiles && tile.rect.clipped(to: header.size) == tile.rect
    }

    /// The frame of that number, or an empty one; the oldest gives way. Nil where the number is older than all of a full room.
    private mutating func room(for number: UInt32) -> Frame? {
        if let frame = frames[number] { return frame }
        if frames.count >= CoBrowsingBounds.pendingFrames {
            guard let oldest = frames.keys.min(), oldest < number else { return nil }
            remove(oldest)
        }
        return Frame()
    }

    /// The first whole frame that needs nothing after `complete`.
    func next(after complete: UInt32) -> (CoBrowsingMessage.FrameHeader, [CoBrowsingMessage.Tile])? {
        let ready = frames.filter { number, frame in
            number > complete && frame.isWhole && (frame.header?.base ?? .max) <= complete
        }
        guard let frame = ready.min(by: { $0.key < $1.key })?.value, let header = frame.header else { return nil }
        return (header, frame.tiles.sorted { $0.key < $1.key }.map(\.value))
    }

    mutating func remove(_ number: UInt32) {
        guard let frame = frames.removeValue(forKey: number) else { return }
        bytes -= frame.bytes
    }

    mutating func drop(through number: UInt32) {
        for old in frames.keys where old <= number { remove(old) }
    }
}
