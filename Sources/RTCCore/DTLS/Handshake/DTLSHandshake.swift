import RTCWire

/// A handshake under way: the machine, what it reads from and what it sends again. Gone once the association stands.
struct DTLSHandshake: ~Copyable {
    /// How long a handshake may take before it fails.
    static let limit = Interval.seconds(30)
    /// How long it may still take after a fatal alert in the clear, unless it goes on. Anybody can send one, so it ends
    /// nothing by itself; but where it was the peer's, nothing more will come.
    static let alertPatience = Interval.seconds(5)

    private let settings: HandshakeSettings
    private var machine: HandshakeMachine
    private var reassembly = HandshakeReassembly()
    private var log = HandshakeLog()
    /// How these were when the peer's flight began: where a message of it is refused, it is awaited anew.
    private var restart: HandshakeRestart
    /// How they were when the peer's first flight began: where another one comes than was believed, it is read as well.
    private var opening: HandshakeRestart
    private var timer: FlightTimer
    private var startedAt = Instant.zero
    private var failsAt = Instant.distantFuture
    /// Whatever a failure in the end is best explained by.
    private var complaint: DTLSFailure?
    private var refusals = HandshakeRefusals()
    /// Reads what contradicts another handshake's reading.
    let isRival: Bool

    init(_ role: DTLSRole, _ settings: HandshakeSettings, mtu: Int) {
        self.settings = settings
        machine = HandshakeMachine(role)
        restart = HandshakeRestart(HandshakeMachine(role), next: 0, HandshakeLog())
        opening = restart.copied()
        isRival = false
        timer = FlightTimer(mtu: mtu)
    }

    borrowing func copied() -> DTLSHandshake { DTLSHandshake(copying: self) }

    private init(copying other: borrowing DTLSHandshake) {
        settings = other.settings
        machine = other.machine.copied()
        reassembly = other.reassembly
        log = other.log
        restart = other.restart.copied()
        opening = other.opening.copied()
        isRival = other.isRival
        timer = other.timer
        startedAt = other.startedAt
        failsAt = other.failsAt
        complaint = other.complaint
        refusals = other.refusals
    }

    /// The same handshake from the beginning of the peer's first flight on, with no flight of its own to repeat.
    borrowing func rival(mtu: Int) -> DTLSHandshake { DTLSHandshake(opening: self, mtu: mtu) }

    private init(opening other: borrowing DTLSHandshake, mtu: Int) {
        settings = other.settings
        machine = other.opening.machine.copied()
        reassembly = HandshakeReassembly(next: other.opening.next)
        log = other.opening.log
        restart = other.opening.copied()
        opening = other.opening.copied()
        isRival = true
        timer = FlightTimer(mtu: mtu)
        startedAt = other.startedAt
        failsAt = other.startedAt + DTLSHandshake.limit
    }

    /// What was believed of the peer's messages that no signature of a later one binds to our own answer.
    var believed: ArraySlice<HandshakeMessage> { machine.openingMessages(in: log.heard) }

    var wantsSRTP: Bool { !settings.srtpProfiles.isEmpty }

    /// When `advance` wants to be called next.
    var nextDeadline: Instant? {
        let soonest = min(timer.deadline ?? failsAt, failsAt)
        return soonest == .distantFuture ? nil : soonest
    }

    mutating func start(_ records: inout RecordLayer, _ way: DTLSWay) {
        startedAt = way.now
        failsAt = startedAt + DTLSHandshake.limit
        guard let flight = machine.start(settings, &log) else { return }
        open(flight, &records, way)
    }

    /// Sends the flight that the peer's first one answers.
    private mutating func open(_ flight: Flight, _ records: inout RecordLayer, _ way: DTLSWay) {
        send(flight, &records, way)
        opening = restart.copied()
    }

    /// Sends the last flight again where it is due. Gives why the handshake has failed, if it has.
    mutating func advance(_ records: inout RecordLayer, _ way: DTLSWay) -> DTLSFailure? {
        guard failsAt > way.now else { return complaint ?? .timedOut }
        if let deadline = timer.deadline, deadline <= way.now { timer.expire(&records, way) }
        return nil
    }

    /// Takes a fragment in.
    mutating func receive(
        _ header: DTLSHandshakeHeader, _ fragment: UnsafeRawBufferPointer, epoch: UInt16,
        _ records: inout RecordLayer, _ way: DTLSWay
    ) -> HandshakeReassembly.Outcome {
        let outcome = reassembly.take(header, fragment, epoch: epoch)
        if outcome == .repeated { timer.peerRepeated(&records, way) }
        return outcome
    }

    /// What the next whole message leads to; nil where there is none. One that the machine ignores is dropped, and its
    /// place is free for the peer's own. One that it refuses may be forged as long as nothing is sealed: then the flight
    /// is awaited anew, until the peer insists.
    mutating func step(
        expecting fingerprint: DTLSFingerprint?, now: Instant
    ) throws(HandshakeFault) -> HandshakeAction? {
        guard let message = reassembly.message else { return nil }
        do throws(HandshakeFault) {
            if isRival, message.type == .helloVerifyRequest { throw .ignored("the cookie is another reading's") }
            let action = try machine.receive(message, settings, expecting: fingerprint, &log)
            if case .sendAgain = action {
                // Its place is the ServerHello's.
                reassembly.discard()
                return action
            }
            reassembly.advance()
            failsAt = startedAt + DTLSHandshake.limit
            return action
        } catch {
            switch error {
            case .ignored(let words):
                complaint = complaint ?? .protocolViolation(words)
                reassembly.discard()
            case .fatal(let failure, let alert):
                let isAnswer = message.type != .clientHello && alert != TLSAlert.Description.badCertificate
                guard message.type != .finished, !refusals.isInsisted(message, isAnswer: isAnswer, now) else {
                    throw error
                }
                complaint = failure
                failsAt = min(failsAt, now + DTLSHandshake.alertPatience)
                machine = restart.machine.copied()
                (reassembly, log) = (HandshakeReassembly(next: restart.next, isFromFirst: true), restart.log)
                throw .restarted
            case .restarted: break
            }
            throw error
        }
    }

    /// Sends a flight and repeats it until it is answered.
    mutating func send(_ flight: Flight, _ records: inout RecordLayer, _ way: DTLSWay) {
        timer.send(flight, &records, way)
        restart = HandshakeRestart(machine.copied(), next: reassembly.next, log)
    }

    mutating func sendAgain(_ records: inout RecordLayer, _ way: DTLSWay) { timer.sendAgain(&records, way) }

    /// Sends another first flight: answers to it are a new beginning.
    mutating func sendChanged(_ flight: Flight, _ records: inout RecordLayer, _ way: DTLSWay) {
        open(flight, &records, way)
    }

    /// A fatal alert came in the clear.
    mutating func noteAlert(_ alert: TLSAlert, _ now: Instant) {
        complaint = .alert(alert.description)
        failsAt = min(failsAt, now + DTLSHandshake.alertPatience)
    }
}
