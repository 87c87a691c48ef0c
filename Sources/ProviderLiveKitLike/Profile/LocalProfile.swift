import CallBridge
import LiveKitProtocol
import MediaCore

/// Ourselves: as the server knows us, as the bridge does, and what we want changed. A value.
struct LocalProfile {
    /// A request about ourselves that waits for the connection, then for the server's word.
    private struct Request {
        var change: LocalMetadata.Change
        var command: CommandID
        /// 0 before it was sent.
        var number: UInt32 = 0
        var deadline: MediaTime?
    }

    /// Our id towards the bridge: the server's first one. A full reconnect gives us others, which stay in here.
    let publicID: String
    /// As the server knows us.
    private(set) var info: Livekit_ParticipantInfo
    private var metadata = LocalMetadata()
    private var requests: [Request] = []
    private var nextNumber: UInt32 = 1
    /// Seconds for the server's word.
    private let limit: Double

    init(_ info: Livekit_ParticipantInfo, limit: Double) {
        publicID = info.sid
        self.info = info
        self.limit = limit
    }

    /// The bridge's id of a participant: ours never changes.
    func publicID(of sid: String) -> String { sid == info.sid ? publicID : sid }

    /// As the bridge knows us.
    func participant(_ publications: [Publication]) -> Participant {
        var participant = Participant(info, isLocal: true)
        participant.id = publicID
        participant.tracks = publications.map(\.track)
        return participant
    }

    /// What we may do, where the server has said so.
    var permission: Livekit_ParticipantPermission? { info.hasPermission ? info.permission : nil }

    // MARK: What the server says of us

    /// We are somebody else from now on: another session, another room.
    mutating func replace(_ info: Livekit_ParticipantInfo) { self.info = info }

    /// What has changed, for the bridge.
    struct Changes {
        var isDescription = false
        var isPermission = false
    }

    /// Takes over the server's latest word, and ends the requests whose change it shows by now.
    mutating func apply(_ info: Livekit_ParticipantInfo, _ turn: inout SignallingTurn) -> Changes {
        guard info.version >= self.info.version || info.version == 0 else { return Changes() }
        let before = self.info
        self.info = info
        let shown = requests.filter { $0.number != 0 && LocalMetadata.shows(info, $0.change) }
        for request in shown { settle(request.number, nil, &turn) }
        return Changes(
            isDescription: before.name != info.name || before.metadata != info.metadata
                || before.attributes != info.attributes,
            isPermission: info.hasPermission && before.permission != info.permission)
    }

    // MARK: Requests

    /// When the next answer has to be there.
    var deadline: MediaTime? { requests.lazy.compactMap(\.deadline).min() }

    mutating func change(
        _ change: LocalMetadata.Change, for command: CommandID, isUp: Bool, _ turn: inout SignallingTurn
    ) {
        requests.append(Request(change: change, command: command))
        if isUp { connected(&turn) }
    }

    /// The connection stands: what has waited for it is said.
    mutating func connected(_ turn: inout SignallingTurn) {
        for index in requests.indices where requests[index].number == 0 {
            requests[index].number = nextNumber
            requests[index].deadline = turn.now.advanced(seconds: limit)
            let message = LocalMetadata.request(requests[index].change, to: info, number: nextNumber)
            nextNumber = nextNumber == .max ? 1 : nextNumber + 1
            turn.send { $0.updateMetadata = message }
        }
    }

    /// The server's word on a request. Old servers are silent where all is well, and show the change instead.
    mutating func answered(_ response: Livekit_RequestResponse, _ turn: inout SignallingTurn) {
        switch response.reason {
        case .queued: break
        case .ok: settle(response.requestID, nil, &turn)
        default:
            settle(
                response.requestID,
                CallError(.provider, .providerRefused, "the server refused the request: \(response.words)"), &turn)
        }
    }

    private mutating func settle(_ number: UInt32, _ error: CallError?, _ turn: inout SignallingTurn) {
        guard number != 0, let index = requests.firstIndex(where: { $0.number == number }) else { return }
        let request = requests.remove(at: index)
        if let error { return turn.fail(request.command, error) }
        metadata.apply(request.change)
        turn.settle(request.command, .done)
    }

    /// Gives up what the server has not answered in time.
    mutating func expire(_ turn: inout SignallingTurn) {
        for request in requests where request.deadline.map({ $0 <= turn.now }) ?? false {
            settle(
                request.number,
                CallError(.provider, .unreachable, "the server did not answer the request within \(Int(limit)) s"),
                &turn)
        }
    }

    /// Tells a new session what we had told the old one.
    func restore(_ turn: inout SignallingTurn) {
        guard let request = metadata.restoration(of: info) else { return }
        turn.send { $0.updateMetadata = request }
    }

    /// The call is over.
    mutating func end(unanswered: CallError, _ ended: CallError, _ turn: inout SignallingTurn) {
        for request in requests { turn.fail(request.command, request.number == 0 ? ended : unanswered) }
        requests = []
    }
}

extension Livekit_RequestResponse {
    /// The reason in words, and what the server says beyond.
    var words: String {
        let reason =
            switch self.reason {
            case .notFound: "not found"
            case .notAllowed: "not allowed"
            case .limitExceeded: "a limit is exceeded"
            case .unsupportedType: "the type is not supported"
            case .invalidHandle, .duplicateHandle: "the handle is not usable"
            case .invalidName, .duplicateName: "the name is not usable"
            case .invalidRequest: "the request is not valid"
            case .ok, .queued, .unclassifiedError, .UNRECOGNIZED: "an error"
            }
        return message.isEmpty ? reason : "\(reason) (\(message))"
    }
}
