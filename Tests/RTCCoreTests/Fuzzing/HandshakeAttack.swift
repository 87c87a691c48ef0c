import RTCWire

@testable import RTCCore

/// What an input does to one stage.
struct HandshakeAttack {
    private let stage: HandshakeStage
    private let pair: HandshakePair
    private var commands: FuzzCommands
    /// Something was sealed by the peer's own keys: what comes of it is the peer's will.
    private(set) var isByPeer = false
    /// Time has passed: a refused message may have been insisted on.
    private var hasWaited = false
    private var injections = 0
    private static let handshakeTypes = TLSHandshakeType.allCases

    init(_ stage: HandshakeStage, _ input: Slice<UnsafeRawBufferPointer>) {
        self.stage = stage
        pair = HandshakePair(copying: stage.moment)
        commands = FuzzCommands(rest: input)
    }

    private var state: DTLSState { pair.state(of: stage.role) }

    /// What nobody with keys has sent ends nothing by itself, and changes nothing where a handshake is over.
    private var isWhole: Bool {
        switch state {
        case .closed, .failed: stage.isOver && state == stage.moment.state(of: stage.role)
        default: !stage.isOver || state == stage.moment.state(of: stage.role)
        }
    }

    /// The next command; false where there is none.
    mutating func perform() -> Bool {
        guard let command = commands.byte() else { return false }
        switch command % 8 {
        case 0: inject(commands.bytes())
        case 1: inject(record())
        case 2: inject(message(commands.byte() ?? 0, commands.byte() ?? 0, commands.bytes()))
        case 3: inject(mutated(isCut: command & 0x10 != 0))
        case 4, 5: inject(mutatedMessage(command))
        case 6: sealed(command)
        default:
            hasWaited = true
            pair.advance(.milliseconds(10 * Int(commands.byte() ?? 0)))
        }
        return true
    }

    private mutating func inject(_ datagram: [UInt8]) {
        injections += 1
        pair.inject(datagram, toServer: stage.role == .server)
    }

    /// A record whose length is right.
    private mutating func record() -> [UInt8] {
        let (kind, number) = (commands.byte() ?? 0, commands.byte() ?? 0)
        let body = commands.bytes()
        return [20 + kind % 4, 0xfe, 0xfd, 0, kind >> 6 & 1, 0, 0, 0, 0, number, kind, 0, UInt8(body.count)] + body
    }

    /// A handshake message in the clear whose lengths are right, or a fragment of a longer one.
    private func message(_ kind: UInt8, _ number: UInt8, _ body: [UInt8]) -> [UInt8] {
        let type = HandshakeAttack.handshakeTypes[Int(kind & 15) % HandshakeAttack.handshakeTypes.count]
        let (missing, offset) = (Int(kind >> 6), kind & 0x20 == 0 ? 0 : Int(kind >> 6))
        return message(
            DTLSHandshakeHeader(
                type: type, messageLength: body.count + missing,
                messageSequence: UInt16(stage.nextMessage &+ number % 8),
                fragmentOffset: offset, fragmentLength: body.count), body)
    }

    private func message(_ header: DTLSHandshakeHeader, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        header.append(to: &bytes)
        bytes += body
        let length = bytes.count
        return [22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 9, 9, UInt8(length >> 8), UInt8(length & 255)] + bytes
    }

    /// A record of the handshake with changed bytes, perhaps cut.
    private mutating func mutated(isCut: Bool) -> [UInt8] {
        guard var bytes = genuine()?.bytes else { return [] }
        change(&bytes)
        if isCut { bytes.removeLast(Int(commands.byte() ?? 0) % bytes.count) }
        return bytes
    }

    /// A message of the handshake with changed bytes and right lengths, in the place of the next one.
    private mutating func mutatedMessage(_ command: UInt8) -> [UInt8] {
        guard let message = genuine()?.message, let type = TLSHandshakeType(rawValue: message[13]) else { return [] }
        var body = Array(message.dropFirst(12))
        if command & 0x10 != 0, !body.isEmpty { body.removeLast(Int(commands.byte() ?? 0) % body.count) }
        if !body.isEmpty { change(&body) }
        return self.message(
            DTLSHandshakeHeader(
                type: type, messageLength: body.count, messageSequence: UInt16(stage.nextMessage &+ command >> 6),
                fragmentOffset: 0, fragmentLength: body.count), body)
    }

    private mutating func genuine() -> HandshakePair.Record? {
        let index = Int(commands.byte() ?? 0)
        return stage.handshake.isEmpty ? nil : stage.handshake[index % stage.handshake.count]
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        for _ in 0..<Int(1 + (commands.byte() ?? 0) % 3) {
            let position = Int(commands.byte() ?? 0) << 2 | Int(commands.byte() ?? 0) & 3
            bytes[position % bytes.count] ^= commands.byte() ?? 1
        }
    }

    /// What a peer with keys says that does not keep to the protocol.
    private mutating func sealed(_ command: UInt8) {
        let types = DTLSRecordHeader.ContentType.allCases
        let body = commands.bytes()
        guard let record = pair.seal(types[Int(command >> 4) % types.count], body, by: stage.role.opposite) else {
            return
        }
        isByPeer = true
        inject(record)
    }
}

extension HandshakeAttack {
    /// What holds whatever was sent.
    func check() {
        let keys = pair.keys(of: stage.role)
        switch state {
        case .connected: precondition(keys != nil && (stage.keys == nil || keys == stage.keys), "other keys")
        case .handshaking: precondition(keys == nil && pair.deadline(of: stage.role) != nil, "no deadline")
        case .new, .awaitingFingerprint, .closed, .failed: precondition(keys == nil, "keys without connection")
        }
        precondition(pair.sentBytes <= 16384, "\(pair.sentBytes) bytes sent")
        precondition(pair.delivered.isEmpty || isByPeer, "a message of nobody's")
        if !isByPeer, stage.isOver || !hasWaited { precondition(isWhole, "a forgery ends \(stage.name)") }
    }

    /// The genuine peer goes on: what was whole stays so.
    func goOn() {
        switch stage.moment.state(of: stage.role) {
        case .new, .closed, .failed: break
        case .handshaking:
            pair.settle()
            for role in [DTLSRole.client, .server] where pair.state(of: role) == .connected {
                precondition(pair.keys(of: role) != nil, "connected without keys")
            }
            let isConnected = pair.state(of: .client) == .connected && pair.state(of: .server) == .connected
            // Of several forgeries each could be believed, and what is believed is bounded.
            if injections <= 2, !hasWaited, stage.canGoOn {
                precondition(isConnected, "a forgery ends \(stage.name)")
            }
            if isConnected {
                precondition(pair.keys(of: .client) == pair.keys(of: .server), "different keys")
            }
        case .awaitingFingerprint, .connected:
            let message: [UInt8] = [1, 2, 3]
            guard let genuine = pair.seal(.applicationData, message, by: stage.role.opposite) else {
                preconditionFailure("the peer can't seal")
            }
            pair.inject(genuine, toServer: stage.role == .server)
            precondition(
                pair.delivered == (stage.moment.state(of: stage.role) == .connected ? [message] : []),
                "a genuine message is lost in \(stage.name)")
        }
    }
}
