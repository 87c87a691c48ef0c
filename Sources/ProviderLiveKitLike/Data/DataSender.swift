import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore

/// Data packets on their way out: sent in order, and again after a resume. A value.
struct DataSender {
    /// The largest message, in bytes, where the server doesn't say less: as LiveKit's clients have it.
    static let largestPacket = 64_000
    /// How much may wait in a channel, in bytes.
    static let fullChannel = 2 * 1024 * 1024
    /// Seconds after which a full channel is looked at again.
    static let fullChannelPause = 0.02

    /// Who wants to know what became of a packet.
    enum Completion: Sendable, Hashable {
        case none
        case command(CommandID)
        /// A remote procedure call, by its id.
        case call(String)
    }

    /// A packet that waits for its turn; its sender waits too.
    private struct Waiting {
        var packet: Livekit_DataPacket
        var completion: Completion
    }

    private enum State {
        case idle
        /// For the channel to open, until then.
        case opening(until: MediaTime)
        /// For the media connection to say how much room its channel has.
        case asking(SessionChannel)
        /// For room, until then.
        case full(until: MediaTime)
    }

    /// What follows from sending.
    struct Outcome {
        /// These were sent, or can't be.
        var ended: [(completion: Completion, error: CallError?)] = []
        /// The connection that we send on has to be offered first.
        var needsOffer = false
    }

    private var outbox = ReliableOutbox()
    /// Our channels, and those of them that are open.
    private(set) var channels: Set<SessionChannel> = []
    private var open: Set<SessionChannel> = []
    private var waiting: [Waiting] = []
    /// Sent once already, perhaps in vain: these go first.
    private var repeats: [[UInt8]] = []
    private var state = State.idle
    private let encryption: FrameEncryption?
    /// Seconds for a channel to open.
    private let limit: Double

    init(encryption: FrameEncryption?, limit: Double) {
        self.encryption = encryption
        self.limit = limit
    }

    /// When a channel has to be open, or is looked at again.
    var deadline: MediaTime? {
        switch state {
        case .opening(let until), .full(let until): until
        case .idle, .asking: nil
        }
    }

    // MARK: Packets

    /// Takes a packet in. Throws what keeps it from ever being sent.
    mutating func append(
        _ packet: Livekit_DataPacket, from identity: String, for completion: Completion
    ) throws(CallError) {
        var packet = try sealed(packet)
        packet.participantIdentity = identity
        if let error = Self.tooLong(packet, limit: Self.largestPacket) { throw error }
        waiting.append(Waiting(packet: packet, completion: completion))
    }

    /// The error where a packet, with the number that it will get, is longer than `limit` bytes.
    private static func tooLong(_ packet: Livekit_DataPacket, limit: Int) -> CallError? {
        let size = packet.wireBytes.count + 8
        guard size > limit else { return nil }
        return CallError(
            .caller, .invalidArgument,
            "a data message of \(size) bytes is too long: at most \(limit) fit, a stream takes any number")
    }

    private func sealed(_ packet: Livekit_DataPacket) throws(CallError) -> Livekit_DataPacket {
        guard let encryption, let value = packet.value, let plain = EncryptedPayload.encode(value) else {
            return packet
        }
        guard let sealed = encryption.seal(data: plain) else {
            throw CallError(.caller, .invalidArgument, "data can't be encrypted: no key is set")
        }
        var packet = packet
        packet.encryptedPacket.encryptionType = .gcm
        packet.encryptedPacket.iv = Data(sealed.iv)
        packet.encryptedPacket.keyIndex = UInt32(sealed.keyIndex)
        packet.encryptedPacket.encryptedValue = Data(sealed.value)
        return packet
    }

    private static let noChannel = CallError(
        .network, .unreachable, "the server has not opened the data channel; check that it allows UDP both ways")

    // MARK: Sending

    /// Goes on with what waits, where it can.
    ///
    /// - Parameter isUp: the connection stands.
    mutating func advance(isUp: Bool, _ turn: inout SignallingTurn) -> Outcome {
        var outcome = Outcome()
        while let kind = next {
            switch state {
            case .asking: return outcome
            case .full(let until) where until > turn.now: return outcome
            case _ where !isUp:
                state = .idle
                return outcome
            case .opening(let until) where !open.contains(kind) && until <= turn.now:
                outcome.ended += dropNext(Self.noChannel)
                state = .idle
            case .opening where !open.contains(kind): return outcome
            case _ where open.contains(kind):
                state = .asking(kind)
                turn.media(.askRoom(kind))
            case .idle, .opening, .full:
                state = .opening(until: turn.now.advanced(seconds: limit))
                outcome.needsOffer = true
            }
        }
        if case .asking = state { return outcome }
        state = .idle
        return outcome
    }

    /// The channel of the next packet; nil where nothing waits.
    private var next: SessionChannel? {
        if !repeats.isEmpty { return .reliable }
        return waiting.first.map { $0.packet.kind == .lossy ? .lossy : .reliable }
    }

    private mutating func dropNext(_ error: CallError) -> [(completion: Completion, error: CallError?)] {
        repeats = []
        return waiting.isEmpty ? [] : [(waiting.removeFirst().completion, error)]
    }

    /// A channel says how much waits in it, and how long a message it takes.
    mutating func room(
        _ kind: SessionChannel, buffered: Int, longest: Int, _ turn: inout SignallingTurn
    ) -> [(completion: Completion, error: CallError?)] {
        guard case .asking(kind) = state else { return [] }
        guard buffered < Self.fullChannel else {
            state = .full(until: turn.now.advanced(seconds: Self.fullChannelPause))
            return []
        }
        state = .idle
        // What was asked for may have been overtaken by what has to be repeated.
        guard next == kind else { return [] }
        guard repeats.isEmpty else {
            turn.media(.put(repeats.removeFirst(), kind))
            return []
        }
        let head = waiting.removeFirst()
        if let error = Self.tooLong(head.packet, limit: longest) { return [(head.completion, error)] }
        turn.media(.put(kind == .lossy ? head.packet.wireBytes : outbox.number(head.packet), kind))
        return [(head.completion, nil)]
    }

    // MARK: Channels

    mutating func prepared(_ channels: Set<SessionChannel>) { self.channels = channels }

    mutating func opened(_ kind: SessionChannel) { open.insert(kind) }

    mutating func closed(_ kind: SessionChannel) { open.remove(kind) }

    /// What a resumed session's server is told of the channels.
    var wire: [Livekit_DataChannelInfo] {
        SessionChannel.allCases.filter { channels.contains($0) }.map { kind in
            .with {
                $0.label = kind.rawValue
                $0.target = .publisher
            }
        }
    }

    // MARK: Sessions

    /// The server has come back, and has this of ours.
    mutating func resumed(lastSequence: UInt32) { repeats = outbox.packets(after: lastSequence) }

    /// The session is joined afresh: numbers begin anew, and what was on its way is lost.
    mutating func beginAnew() {
        outbox = ReliableOutbox()
        (channels, open) = ([], [])
        repeats = []
        state = .idle
    }

    /// The call is over: nobody is left waiting.
    mutating func end() -> [Completion] {
        defer { (waiting, repeats, state) = ([], [], .idle) }
        return waiting.map(\.completion)
    }
}
