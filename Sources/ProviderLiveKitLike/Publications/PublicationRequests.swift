import CallBridge
import LiveKitProtocol
import MediaCore

/// A track that the server is to take.
struct PendingPublication: Sendable {
    /// Who wants it.
    enum Origin: Sendable {
        case command(CommandID)
        /// The server has ended it, and allows it again.
        case again(Publication)
        /// A full reconnect; by the bridge's id.
        case renewal(trackID: String)
    }

    enum Step: Sendable, Hashable {
        /// For the connection.
        case waiting
        /// The server answers until then.
        case asked(until: MediaTime)
        /// The media connection is to send it.
        case adding
    }

    let media: LocalTrack
    let source: Track.Source
    let origin: Origin
    var step = Step.waiting

    /// When the server's word has to be there.
    var deadline: MediaTime? { if case .asked(let until) = step { until } else { nil } }
}

/// The tracks that the server is asked to take, each until the media connection sends it. A value.
struct PublicationRequests {
    private var pending: [PendingPublication] = []
    private let isEncrypted: Bool
    /// Seconds for the server's word.
    private let limit: Double

    init(isEncrypted: Bool, limit: Double) {
        self.isEncrypted = isEncrypted
        self.limit = limit
    }

    /// When the next answer has to be there.
    var deadline: MediaTime? { pending.lazy.compactMap(\.deadline).min() }

    func contains(_ cid: String) -> Bool { index(of: cid) != nil }

    private func index(of cid: String) -> Int? { pending.firstIndex { $0.media.id == cid } }

    // MARK: Asking

    /// Asks for a track, at once or when the connection stands.
    mutating func add(_ publication: PendingPublication, isUp: Bool, _ turn: inout SignallingTurn) {
        pending.append(publication)
        if isUp { ask(pending.count - 1, &turn) }
    }

    private mutating func ask(_ index: Int, _ turn: inout SignallingTurn) {
        let request = Livekit_AddTrackRequest(
            pending[index].media, source: pending[index].source, isEncrypted: isEncrypted)
        pending[index].step = .asked(until: turn.now.advanced(seconds: limit))
        turn.send { $0.addTrack = request }
    }

    /// The connection stands: whatever has waited for it is asked for.
    mutating func connected(_ turn: inout SignallingTurn) {
        for index in pending.indices where pending[index].step == .waiting { ask(index, &turn) }
    }

    // MARK: Answers

    /// The server has taken a track, which goes to the media connection now; nil where it was not asked.
    mutating func accepted(_ cid: String) -> PendingPublication? {
        guard let index = index(of: cid), pending[index].deadline != nil else { return nil }
        pending[index].step = .adding
        return pending[index]
    }

    /// The server does not take a track, or it is no longer wanted; nil where it was not asked.
    mutating func refused(_ cid: String) -> PendingPublication? {
        guard let index = index(of: cid), pending[index].deadline != nil else { return nil }
        return pending.remove(at: index)
    }

    /// The media connection has dealt with a track; nil where it was not to.
    mutating func added(_ cid: String) -> PendingPublication? {
        guard let index = index(of: cid), pending[index].step == .adding else { return nil }
        return pending.remove(at: index)
    }

    /// The tracks, by their id in signalling, of which the server has said nothing in time.
    func overdue(now: MediaTime) -> [String] {
        pending.filter { $0.deadline.map { $0 <= now } ?? false }.map(\.media.id)
    }

    /// How long it had, for people.
    var overdueReason: String { "the server did not accept the track within \(Int(limit)) s" }

    // MARK: Ends

    /// The session that was asked is gone, and with it the media connections: the next one is asked when it stands. Gives
    /// the tracks that the server had taken and the media connection did not send yet.
    mutating func sessionReplaced() -> [PendingPublication] {
        let adding = pending.filter { $0.step == .adding }
        pending.removeAll { entry in
            if case .renewal = entry.origin { true } else { entry.step == .adding }
        }
        for index in pending.indices { pending[index].step = .waiting }
        return adding
    }

    /// The call is over: whoever waits for the server is told so, and whoever waits for the connection.
    mutating func end(unanswered: CallError, _ ended: CallError, _ turn: inout SignallingTurn) {
        for entry in pending {
            guard case .command(let command) = entry.origin else { continue }
            turn.fail(command, entry.step == .waiting ? ended : unanswered)
        }
        pending = []
    }
}
