import OpenTokSignalling
import RTCWire

@testable import OpenTokClient

/// A client's machine and the server's side of its connection in virtual time; what the session does is said by the test.
struct ClientStage {
    static let address = "symphony.1"
    static let timeOfDay: Int64 = 1_800_000_000

    let session: OpenTokSessionID
    private(set) var now = Instant.zero
    private(set) var machine: OpenTokMachine
    private(set) var server: OpenTokServerConnection?
    /// What the client has asked for, but to join and to read the state.
    private(set) var requests: [RaptorRequest] = []
    /// What its shell has to do, but for sockets.
    private(set) var outputs: [ClientOutput] = []
    private(set) var attempts: [Instant] = []
    private(set) var lastClose: Int?
    /// What a newcomer finds, beside the client itself.
    var state = RaptorSessionState()
    /// What comes of requests; nil leaves them without an answer.
    var answering: (RaptorRequest) -> OpenTokServerConnection.Answer? = { _ in .done }
    /// Whether the server lets the client in.
    var admission = OpenTokServerConnection.Answer.done
    /// Media connections do at once what they are asked for.
    var hasMedia = true
    /// Without it, all that is sent is lost, and no socket opens.
    var isUp = true
    private var socket = 0
    private var liveSocket = 0
    private var work: [Work] = []

    private enum Work {
        case client(ClientInput)
        case server([UInt8])
        case comeBack(socket: Int)
    }

    init(
        _ mode: MediaMode = .routed, role: OpenTokRole = .publisher, automatic: Bool = true,
        change: (inout ClientSettings) -> Void = { _ in }
    ) throws {
        session = OpenTokSessionID(project: "12345", mediaMode: mode, createdAt: 0, random: 1)
        let token = try OpenTokToken(
            project: "12345", sessionID: session.text, role: role, created: Self.timeOfDay, connectionData: "ada"
        ).signed(secret: "secret")
        let info = SessionInfo(
            session: session, project: "12345", messagingURL: "ws://h/m", serverAddress: Self.address)
        var settings = ClientSettings(info: info, token: token, connection: "me")
        settings.subscribesAutomatically = automatic
        change(&settings)
        machine = OpenTokMachine(settings)
    }

    /// A client that is in.
    static func joined(
        _ mode: MediaMode = .routed, role: OpenTokRole = .publisher, automatic: Bool = true,
        change: (inout ClientSettings) -> Void = { _ in }
    ) throws -> ClientStage {
        var stage = try ClientStage(mode, role: role, automatic: automatic, change: change)
        stage.start()
        return stage
    }

    // MARK: What tests do

    mutating func start() {
        drive { $0.start($1, into: &$2) }
        settle()
    }

    mutating func handle(_ input: ClientInput) {
        work.append(.client(input))
        settle()
    }

    mutating func command(_ command: ClientCommand, _ id: CommandID = 1) { handle(.command(command, id)) }

    /// The server tells something.
    mutating func tell(_ event: RaptorEvent, from sender: String? = nil) {
        serve { $0.tell(event, from: sender, into: &$1) }
        settle()
    }

    mutating func serve(_ body: (inout OpenTokServerConnection, inout [OpenTokServerConnection.Action]) -> Void) {
        var actions: [OpenTokServerConnection.Action] = []
        guard server != nil else { return }
        body(&server!, &actions)
        for action in actions { perform(action) }
    }

    /// The socket breaks, and both sides notice; `isUp` says whether another one opens.
    mutating func breakSocket(code: Int = 1006) {
        let broken = liveSocket
        liveSocket = -1
        serve { [now] in $0.closed(code: code, now, into: &$1) }
        work.append(.client(.closed(socket: broken, code: code)))
        settle()
    }

    mutating func run(_ interval: Interval) {
        settle()
        let end = now + interval
        while let next = machine.nextDeadline.earlier(server?.nextDeadline), next <= end {
            now = max(now, next)
            drive { $0.advance(to: $1, into: &$2) }
            serve { [now] in $0.advance(to: now, into: &$1) }
            settle()
        }
        now = end
    }

    mutating func takeOutputs() -> [ClientOutput] {
        defer { outputs = [] }
        return outputs
    }

    mutating func takeRequests() -> [RaptorRequest] {
        defer { requests = [] }
        return requests
    }

    /// What the application was told since it was asked last, in short words.
    mutating func takeEvents() -> [String] { takeOutputs().compactMap(\.summary) }

    // MARK: Both sides

    private mutating func settle() {
        while !work.isEmpty {
            switch work.removeFirst() {
            case .client(let input): drive { $0.handle(input, $1, into: &$2) }
            case .server(let bytes):
                serve { [now] in $0.receive(bytes, now, timeOfDay: Self.timeOfDay, into: &$1) }
            case .comeBack(let number):
                serve { [now] in $0.opened(now, into: &$1) }
                work.insert(.client(.opened(socket: number)), at: 0)
            }
        }
    }

    private mutating func drive(_ body: (inout OpenTokMachine, Instant, inout [ClientOutput]) -> Void) {
        var made: [ClientOutput] = []
        body(&machine, now, &made)
        for output in made { perform(output) }
    }

    private mutating func perform(_ output: ClientOutput) {
        switch output {
        case .open(let request, let number):
            socket = number
            liveSocket = -1
            if request.attempt != nil { attempts.append(now) }
            guard isUp else { return work.append(.client(.closed(socket: number, code: 1006))) }
            liveSocket = number
            guard server == nil else { return work.append(.comeBack(socket: number)) }
            let settings = OpenTokServerConnection.Settings(
                session: session, project: "12345", connection: request.socketID, serverAddress: Self.address)
            server = OpenTokServerConnection(settings, secrets: ["12345": "secret"], now: now)
            work.append(.client(.opened(socket: number)))
        case .send(let bytes): if isUp, socket == liveSocket { work.append(.server(bytes)) }
        case .close(let code):
            lastClose = code
            if isUp, socket == liveSocket { serve { [now] in $0.closed(code: code, now, into: &$1) } }
            liveSocket = -1
        case .peer(let action, let peer):
            outputs.append(output)
            if hasMedia { play(action, peer) }
        default: outputs.append(output)
        }
    }

    private mutating func perform(_ action: OpenTokServerConnection.Action) {
        switch action {
        case .send(let bytes):
            if isUp, socket == liveSocket { work.append(.client(.message(bytes, socket: socket))) }
        case .close(let code):
            if isUp, socket == liveSocket { work.append(.client(.closed(socket: socket, code: code))) }
            liveSocket = -1
        case .join(let admission, let transaction):
            state.connections.append(
                RaptorConnection(
                    id: admission.connection, creationTime: 1, data: admission.token.connectionData,
                    permissions: admission.permissions))
            serve { [answer = self.admission] in $0.answer(transaction, answer, into: &$1) }
        case .request(.readState, let transaction):
            serve { [state] in $0.answer(transaction, .state(state), into: &$1) }
        case .request(let request, let transaction):
            requests.append(request)
            guard let answer = answering(request) else { return }
            serve { $0.answer(transaction, answer, into: &$1) }
        case .linkChanged, .ended: break
        }
    }

    /// What media connections report that work at once.
    private mutating func play(_ action: PeerAction, _ peer: RaptorPeer) {
        switch action {
        case .createOffer: work.append(.client(.peer(.offerMade(sdp: "offer"), peer)))
        case .setAnswer: work.append(.client(.peer(.connected, peer)))
        case .answer:
            work.append(.client(.peer(.answerMade(sdp: "answer"), peer)))
            work.append(.client(.peer(.mediaBegan(.audio), peer)))
            work.append(.client(.peer(.mediaBegan(.video), peer)))
            work.append(.client(.peer(.connected, peer)))
        default: break
        }
    }
}
