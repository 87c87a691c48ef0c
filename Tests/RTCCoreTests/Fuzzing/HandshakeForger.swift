import RTCWire

@testable import RTCCore

/// Makes datagrams, as an input's commands say, that fit the stage of a handshake: without its keys, but knowing all that
/// was said in it and in others.
struct HandshakeForger {
    private let stage: HandshakeStage
    /// Records of other handshakes, between others and between these same two.
    private let others: [HandshakePair.Record]
    private var commands: FuzzCommands
    private static let types = TLSHandshakeType.allCases
    /// A datagram that a path of today carries.
    private static let largestDatagram = 1472

    init(_ stage: HandshakeStage, others: [HandshakePair.Record], _ input: Slice<UnsafeRawBufferPointer>) {
        self.stage = stage
        self.others = others
        commands = FuzzCommands(rest: input)
    }

    mutating func command() -> UInt8? { commands.byte() }
    mutating func number() -> UInt8 { commands.byte() ?? 0 }
    mutating func bytes() -> [UInt8] { commands.bytes() }

    /// The datagrams that a command stands for.
    mutating func datagrams(_ command: UInt8) -> [[UInt8]] {
        switch command & 15 {
        case 0: [bytes()]
        case 1: [record()]
        case 2: [message(number(), number(), bytes())]
        case 3: [mutatedRecord(isCut: command & 0x10 != 0)]
        case 4, 5: [mutatedMessage(command)]
        case 8: fragments(command)
        case 9: [stranger(command)]
        case 10: [alert(command)]
        case 11: [finished(command)]
        case 12: [genuine()?.bytes ?? []]
        case 13: [spliced(command)]
        case 14: [stuffed(command)]
        default: [wrongHeader(command)]
        }
    }

    /// A record whose length is right.
    private mutating func record() -> [UInt8] {
        let (kind, number) = (number(), number())
        let body = bytes()
        return [20 + kind % 4, 0xfe, 0xfd, 0, kind >> 6 & 1, 0, 0, 0, 0, number, kind, 0, UInt8(body.count)] + body
    }

    /// A handshake message in the clear whose lengths are right, or a fragment of a longer one.
    private func message(_ kind: UInt8, _ number: UInt8, _ body: [UInt8]) -> [UInt8] {
        let type = HandshakeForger.types[Int(kind & 15) % HandshakeForger.types.count]
        let (missing, offset) = (Int(kind >> 6), kind & 0x20 == 0 ? 0 : Int(kind >> 6))
        return HandshakeForger.record([
            HandshakeFragment(
                type, number: stage.nextMessage &+ number % 8, length: body.count + missing, offset: offset, body)
        ])
    }

    /// A record of the handshake with changed bytes, perhaps cut.
    private mutating func mutatedRecord(isCut: Bool) -> [UInt8] {
        guard var bytes = genuine()?.bytes else { return [] }
        change(&bytes)
        if isCut { bytes.removeLast(Int(number()) % bytes.count) }
        return bytes
    }

    /// A message of the handshake with changed bytes and right lengths, in the place of the next one or a later one.
    private mutating func mutatedMessage(_ command: UInt8) -> [UInt8] {
        mutated(command).map { HandshakeForger.record([$0]) } ?? []
    }

    private mutating func mutated(_ command: UInt8) -> HandshakeFragment? {
        guard var fragment = genuine()?.fragment else { return nil }
        if command & 0x10 != 0, !fragment.body.isEmpty { fragment.body.removeLast(Int(number()) % fragment.body.count) }
        if !fragment.body.isEmpty { change(&fragment.body) }
        fragment.number = stage.nextMessage &+ command >> 6
        fragment.length = fragment.body.count
        return fragment
    }

    /// A changed message in three pieces at most, in any order, one of them perhaps missing or overlapping the next.
    private mutating func fragments(_ command: UInt8) -> [[UInt8]] {
        guard let whole = mutated(command) else { return [] }
        let count = whole.body.count
        let cuts = [Int(number()) % (count + 1), Int(number()) % (count + 1)].sorted()
        let overlap = Int(number() % 4)
        let pieces = [0..<cuts[0], cuts[0]..<cuts[1], cuts[1]..<count].map { range in
            HandshakeForger.record([whole.cut(range.lowerBound..<min(range.upperBound + overlap, count))])
        }
        switch command >> 4 & 3 {
        case 0: return pieces
        case 1: return pieces.reversed()
        case 2: return [pieces[1], pieces[0], pieces[2]]
        default: return [pieces[0], pieces[2]]
        }
    }

    /// A message of another handshake, under its own number or in the place of the next one.
    private mutating func stranger(_ command: UInt8) -> [UInt8] {
        guard var fragment = other()?.fragment else { return [] }
        if command & 0x10 != 0 { fragment.number = stage.nextMessage &+ command >> 6 }
        return HandshakeForger.record([fragment])
    }

    /// The beginning of a genuine message, and the end of another handshake's of the same type.
    private mutating func spliced(_ command: UInt8) -> [UInt8] {
        guard var fragment = genuine()?.fragment else { return [] }
        let first = Int(number())
        for index in others.indices {
            guard let other = others[(first + index) % others.count].fragment, other.type == fragment.type else {
                continue
            }
            let kept = Int(number()) * fragment.body.count / 256
            fragment.body = Array(fragment.body.prefix(kept) + other.body.dropFirst(kept))
            break
        }
        fragment.length = fragment.body.count
        if command & 0x10 != 0 { fragment.number = stage.nextMessage &+ command >> 6 }
        return HandshakeForger.record([fragment])
    }

    private mutating func alert(_ command: UInt8) -> [UInt8] {
        [21, 0xfe, 0xfd, 0, command >> 4 & 1, 0, 0, 0, 0, 9, number(), 0, 2, 1 + number() % 2, number()]
    }

    /// A sealed record in the place of a Finished: of the same length, with other content.
    private mutating func finished(_ command: UInt8) -> [UInt8] {
        let sealed = others.filter { $0.bytes[0] == 22 && $0.bytes[4] == 1 }
        guard !sealed.isEmpty else { return [] }
        var bytes = sealed[Int(number()) % sealed.count].bytes
        if command & 0x10 != 0 { change(&bytes) }
        bytes[10] = number()
        return bytes
    }

    /// As many contradicting messages as one datagram holds: each is another one.
    private mutating func stuffed(_ command: UInt8) -> [UInt8] {
        guard let first = number() & 3 == 0 ? other()?.fragment : mutated(command) else { return [] }
        var pieces: [HandshakeFragment] = []
        var length = DTLSRecordHeader.length
        let limit = Int(number()) % 128
        // Every other type of message can be made as short as its shortest form.
        let body = command & 0x20 == 0 ? first.body : Array(repeating: 0, count: Int(number() % 8))
        while pieces.count <= limit, length + DTLSHandshakeHeader.length + body.count <= HandshakeForger.largestDatagram
        {
            var piece = first
            piece.body = body
            if command & 0x20 == 0, piece.body.count > 3 {
                piece.body[2 + Int(number()) % min(32, piece.body.count - 2)] ^= UInt8(pieces.count + 1)
            }
            piece.length = piece.body.count
            length += DTLSHandshakeHeader.length + piece.body.count
            pieces.append(piece)
        }
        return HandshakeForger.record(pieces)
    }

    /// A genuine message of which the header lies.
    private mutating func wrongHeader(_ command: UInt8) -> [UInt8] {
        guard let bytes = genuine()?.bytes, bytes.count >= 25 else { return [] }
        var changed = bytes
        for _ in 0...(command >> 4 & 1) { changed[13 + Int(number()) % 12] = number() }
        return changed
    }

    private mutating func genuine() -> HandshakePair.Record? {
        let index = Int(number())
        return stage.handshake.isEmpty ? nil : stage.handshake[index % stage.handshake.count]
    }

    private mutating func other() -> HandshakePair.Record? {
        let index = Int(number())
        return others.isEmpty ? nil : others[index % others.count]
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        for _ in 0..<Int(1 + number() % 3) {
            let position = Int(number()) << 2 | Int(number()) & 3
            bytes[position % bytes.count] ^= commands.byte() ?? 1
        }
    }

    /// Messages in one record in the clear.
    private static func record(_ fragments: [HandshakeFragment]) -> [UInt8] {
        var body: [UInt8] = []
        for fragment in fragments { fragment.append(to: &body) }
        return [22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 9, 9, UInt8(body.count >> 8), UInt8(body.count & 255)] + body
    }
}
