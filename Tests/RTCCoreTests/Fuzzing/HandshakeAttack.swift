import Glibc
import RTCWire

@testable import RTCCore

/// What an input does to one stage.
struct HandshakeAttack {
    /// FUZZ_TRACE prints what is injected.
    private static let isTraced = getenv("FUZZ_TRACE") != nil

    private let stage: HandshakeStage
    private let pair: HandshakePair
    private var forger: HandshakeForger
    /// Something was signed or sealed with the peer's own keys: what comes of it is the peer's will.
    private(set) var isByPeer = false
    /// Time has passed: a refused message may have been insisted on.
    private var hasWaited = false
    /// How the proof ends by which the client of this handshake, as it was recorded, went on. It signs one answer; beside that
    /// of the copy it would be a second one of the client's own, which no attacker has.
    private let proof: ArraySlice<UInt8>?
    private var injections = 0
    /// Not all that was injected was dropped, so that the genuine rest of the handshake says more than the state does.
    private(set) var wasHeard = false

    init(_ stage: HandshakeStage, others: [HandshakePair.Record], _ input: Slice<UnsafeRawBufferPointer>) {
        self.stage = stage
        pair = HandshakePair(copying: stage.moment)
        forger = HandshakeForger(stage, others: others, input)
        let proofs = stage.role == .server ? stage.handshake.lazy.filter { $0.message?.first == 15 } : nil
        proof = proofs?.first?.bytes.suffix(8)
    }

    private func isProof(_ datagram: [UInt8]) -> Bool {
        guard let proof, datagram.count >= proof.count else { return false }
        return (0...(datagram.count - proof.count)).contains { datagram[$0..<($0 + proof.count)] == proof }
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
        guard let command = forger.command() else { return false }
        switch command & 15 {
        case 6: sealed(command)
        case 7:
            hasWaited = true
            pair.advance(.milliseconds(10 * Int(forger.number())))
        default: for datagram in forger.datagrams(command) { inject(datagram) }
        }
        return true
    }

    private mutating func inject(_ datagram: [UInt8]) {
        injections += 1
        if !isByPeer, isProof(datagram) { isByPeer = true }
        if HandshakeAttack.isTraced { trace(datagram) }
        let dropped = pair.dropped(by: stage.role)
        pair.inject(datagram, toServer: stage.role == .server)
        if pair.dropped(by: stage.role) == dropped { wasHeard = true }
    }

    private func trace(_ datagram: [UInt8]) {
        let hex = datagram.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        print("\(injections). \(hex)")
        fflush(nil)
    }

    /// What a peer with keys says that does not keep to the protocol.
    private mutating func sealed(_ command: UInt8) {
        let types = DTLSRecordHeader.ContentType.allCases
        let body = forger.bytes()
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
        case .handshaking: handshakeGoesOn()
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

    private func handshakeGoesOn() {
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
    }
}
