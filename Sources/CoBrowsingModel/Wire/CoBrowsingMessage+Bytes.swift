extension CoBrowsingMessage {
    private enum Kind: UInt8 {
        case start = 1
        case stop, frame, tile, status, acknowledge, refresh, pointer, action, welcome, presence, refusal
    }

    /// As it is sent.
    package var bytes: [UInt8] {
        var out: [UInt8] = []
        if case .tile(let tile) = body { out.reserveCapacity(32 + tile.bytes.count) }
        out += [Self.version, kind.rawValue]
        out.put(word: session)
        write(into: &out)
        return out
    }

    private var kind: Kind {
        switch body {
        case .start: .start
        case .stop: .stop
        case .frame: .frame
        case .tile: .tile
        case .status: .status
        case .acknowledge: .acknowledge
        case .refresh: .refresh
        case .pointer: .pointer
        case .action: .action
        case .welcome: .welcome
        case .presence: .presence
        case .refusal: .refusal
        }
    }

    private func write(into out: inout [UInt8]) {
        switch body {
        case .start(let size): out.put(size: size)
        case .stop(let reason): out.append(reason.rawValue)
        case .frame(let header):
            out.put(word: header.number)
            out.put(word: header.base)
            out.put(size: header.size)
            out.put(short: header.tiles)
            out.put(word: header.capturedAt)
        case .tile(let tile):
            out.put(word: tile.frame)
            out.put(short: tile.index)
            for number in [tile.rect.x, tile.rect.y, tile.rect.width, tile.rect.height] { out.put(short: number) }
            out.append(tile.format.rawValue)
            out += tile.bytes
        case .status(let number), .acknowledge(let number), .refresh(let number): out.put(word: number)
        case .pointer(let pointer):
            out.put(short: Int(pointer.x))
            out.put(short: Int(pointer.y))
            out.append(pointer.kind.rawValue)
        case .action(let action): out.append(action.rawValue)
        case .welcome(let welcome):
            out.append(UInt8(clamping: welcome.properties.framesPerSecond))
            out.append(CoBrowsingParticipant.bits(welcome.properties.controls))
            out.append(welcome.properties.showsCapturingFrame ? 1 : 0)
            out.append(welcome.participant.rawValue)
            out.put(text: welcome.sharer ?? "")
        case .presence(let person, let isPresent):
            out.append(isPresent ? 1 : 0)
            out.put(text: person)
        case .refusal(let text): out.put(text: text)
        }
    }

    /// Reads a message, whose numbers are within `CoBrowsingBounds` then.
    package init(parsing bytes: [UInt8]) throws(CoBrowsingWireError) {
        guard bytes.count <= CoBrowsingBounds.longestMessage else {
            throw CoBrowsingWireError("\(bytes.count) bytes; a message has at most \(CoBrowsingBounds.longestMessage)")
        }
        var reader = WireReader(bytes)
        let version = try reader.byte()
        guard version == Self.version else { throw CoBrowsingWireError("version \(version); this is version 1") }
        let kind = try reader.byte()
        session = try reader.word()
        guard let kind = Kind(rawValue: kind) else { throw CoBrowsingWireError("there is no kind \(kind)") }
        body = try Self.read(kind, &reader)
        guard reader.isEmpty else { throw CoBrowsingWireError("the message is longer than its kind") }
    }

    private static func read(_ kind: Kind, _ reader: inout WireReader) throws(CoBrowsingWireError) -> Body {
        switch kind {
        case .start: .start(try size(&reader))
        case .stop: .stop(try choice(&reader, "reason"))
        case .frame: .frame(try frame(&reader))
        case .tile: .tile(try tile(&reader))
        case .status: .status(latest: try reader.word())
        case .acknowledge: .acknowledge(complete: try reader.word())
        case .refresh: .refresh(complete: try reader.word())
        case .pointer:
            .pointer(
                CoBrowsingPointer(
                    x: UInt16(try reader.short()), y: UInt16(try reader.short()), kind: try choice(&reader, "pointer")))
        case .action: .action(try choice(&reader, "action"))
        case .welcome: .welcome(try welcome(&reader))
        case .presence: try presence(&reader)
        case .refusal: .refusal(try reader.text())
        }
    }

    private static func presence(_ reader: inout WireReader) throws(CoBrowsingWireError) -> Body {
        let isPresent = try flag(&reader)
        return .presence(person: try reader.text(), isPresent: isPresent)
    }

    private static func size(_ reader: inout WireReader) throws(CoBrowsingWireError) -> FrameSize {
        let (width, height) = (try reader.short(), try reader.short())
        guard let size = FrameSize(width: width, height: height) else {
            throw CoBrowsingWireError("a frame of \(width)x\(height); a side has 1 to \(CoBrowsingBounds.longestSide)")
        }
        return size
    }

    private static func frame(_ reader: inout WireReader) throws(CoBrowsingWireError) -> FrameHeader {
        let (number, base) = (try reader.word(), try reader.word())
        let size = try size(&reader)
        let tiles = try reader.short()
        guard base < number else { throw CoBrowsingWireError("frame \(number) needs frame \(base)") }
        guard (1...CoBrowsingBounds.tiles).contains(tiles) else {
            throw CoBrowsingWireError("\(tiles) tiles; a frame has 1 to \(CoBrowsingBounds.tiles)")
        }
        return FrameHeader(number: number, base: base, size: size, tiles: tiles, capturedAt: try reader.word())
    }

    private static func tile(_ reader: inout WireReader) throws(CoBrowsingWireError) -> Tile {
        let frame = try reader.word()
        let index = try reader.short()
        let (x, y, width, height) = (
            try reader.short(), try reader.short(), try reader.short(), try reader.short()
        )
        let format: TileFormat = try choice(&reader, "format")
        let side = 1...CoBrowsingBounds.longestTileSide
        guard frame > 0, index < CoBrowsingBounds.tiles, side.contains(width), side.contains(height),
            x + width <= CoBrowsingBounds.longestSide, y + height <= CoBrowsingBounds.longestSide
        else { throw CoBrowsingWireError("tile \(index): \(width)x\(height) at \(x), \(y) is out of bounds") }
        let bytes = reader.remainder()
        guard (1...CoBrowsingBounds.longestTile).contains(bytes.count) else {
            throw CoBrowsingWireError("a tile of \(bytes.count) bytes; use 1 to \(CoBrowsingBounds.longestTile)")
        }
        return Tile(
            frame: frame, index: index, rect: PixelRect(x: x, y: y, width: width, height: height), format: format,
            bytes: bytes)
    }

    private static func welcome(_ reader: inout WireReader) throws(CoBrowsingWireError) -> Welcome {
        let rate = Int(try reader.byte())
        guard CoBrowsingBounds.rates.contains(rate) else {
            throw CoBrowsingWireError("\(rate) frames a second; use 1 to 30")
        }
        var properties = CoBrowsingProperties()
        properties.framesPerSecond = rate
        properties.controls = try CoBrowsingParticipant.set(try reader.byte())
        properties.showsCapturingFrame = try flag(&reader)
        let participant: CoBrowsingParticipant = try choice(&reader, "participant")
        let sharer = try reader.text()
        return Welcome(properties: properties, participant: participant, sharer: sharer.isEmpty ? nil : sharer)
    }

    private static func flag(_ reader: inout WireReader) throws(CoBrowsingWireError) -> Bool {
        let byte = try reader.byte()
        guard byte < 2 else { throw CoBrowsingWireError("a flag is 0 or 1, not \(byte)") }
        return byte == 1
    }

    private static func choice<Choice: RawRepresentable<UInt8>>(
        _ reader: inout WireReader, _ field: String
    ) throws(CoBrowsingWireError) -> Choice {
        let byte = try reader.byte()
        guard let choice = Choice(rawValue: byte) else { throw CoBrowsingWireError("there is no \(field) \(byte)") }
        return choice
    }
}

extension [UInt8] {
    fileprivate mutating func put(size: FrameSize) {
        put(short: size.width)
        put(short: size.height)
    }
}
