import CoBrowsingModel

/// What fuzz targets do with one input: see `WireFuzzing`.
///
/// This folder is also a target of the package in Fuzz/.
package enum CoBrowsingFuzzing {
    package static let bodies: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
        ("cobrowsing", { message($0) }), ("cobrowsingpeer", { peers($0) }), ("rawframe", { rawFrame($0) }),
    ]

    /// What is read is written as it came, and is within its bounds; a tile's picture has a size or none.
    package static func message(_ input: UnsafeRawBufferPointer) {
        let bytes = Array(input)
        if let envelope = CoBrowsingEnvelope(parsing: bytes) { precondition(envelope.bytes == bytes) }
        guard let message = try? CoBrowsingMessage(parsing: bytes) else { return }
        precondition(message.bytes == bytes)
        if case .tile(let tile) = message.body {
            precondition((1...1_024).contains(tile.rect.width) && (1...1_024).contains(tile.rect.height))
            if let header = TileImageHeader(tile.format, tile.bytes) {
                precondition(header.width > 0 && header.height > 0)
            }
        }
    }

    /// Messages, each behind a byte that says how long it is and by whom: sharer, viewer and relay hold their bounds whatever
    /// they hear.
    package static func peers(_ input: UnsafeRawBufferPointer) {
        guard let size = FrameSize(width: 200, height: 130) else { return }
        var sharer = SharerMachine(session: 1, size: size, isLossless: false, now: 0)
        var viewer = ViewerMachine()
        var relay = CoBrowsingRelay(CoBrowsingProperties())
        let mine = relay.connect("c", "vera", .contextPerson, now: 0)?.channel ?? 0
        let theirs = relay.connect("c", "ada", .assignedAgent, now: 0)?.channel ?? 0
        var (toShare, toWatch): ([SharerMachine.Action], [ViewerMachine.Action]) = ([], [])
        var now: Int64 = 0
        var rest = Array(input)[...]
        while let head = rest.popFirst() {
            let bytes = Array(rest.prefix(Int(head & 63)))
            rest = rest.dropFirst(bytes.count)
            now += 50
            _ = relay.receive(bytes, from: head & 64 == 0 ? mine : theirs, now: now)
            guard let message = try? CoBrowsingMessage(parsing: bytes) else { continue }
            let sender = head & 128 == 0 ? "" : "vera"
            sharer.receive(message, from: sender, now: now, into: &toShare)
            sharer.advance(now, into: &toShare)
            if let at = sharer.captureTime(now) { precondition(at >= now) }
            viewer.receive(message, from: sender, now: now, into: &toWatch)
            viewer.advance(now, into: &toWatch)
            for case .compose(let header, let tiles) in toWatch {
                precondition(tiles.count == header.tiles)
                precondition(tiles.allSatisfy { $0.rect.clipped(to: header.size) == $0.rect })
                var none: [ViewerMachine.Action] = []
                viewer.composed(header.number, isGood: true, now: now, into: &none)
            }
            toShare = []
            toWatch = []
        }
    }

    /// A header is read as it is written, and no view is longer than it says.
    package static func rawFrame(_ input: UnsafeRawBufferPointer) {
        let bytes = Array(input)
        if let header = try? RawFrameHeader(parsing: Array(bytes.prefix(RawFrameHeader.length))) {
            precondition(header.bytes == Array(bytes.prefix(RawFrameHeader.length)))
            precondition(header.pixelBytes <= 4_096 * 4_096 * 4)
        }
        if let tag = bytes.first, let length = try? RawFrameHeader.viewLength(tag: tag) {
            let view = try? RawFrameHeader.view(parsing: Array(bytes.prefix(1 + length)))
            if let view { precondition(RawFrameHeader.bytes(of: view) == Array(bytes.prefix(1 + length))) }
        }
        _ = try? RawFrameHeader.view(parsing: bytes)
    }
}
