import CallBridge
import LiveKitProtocol
import MediaCore

@testable import ProviderLiveKitLike

/// A signalling machine in virtual time, and media connections that do at once what they are asked to.
struct MachineHarness {
    private(set) var machine: SignallingMachine
    private(set) var now = MediaTime.zero.advanced(seconds: 100)
    /// What came out since the last look, in order, in words: `send addTrack`, `media createOffer 2`, `report reconnecting`.
    private(set) var lines: [String] = []
    private(set) var sent: [Livekit_SignalRequest] = []
    private(set) var events: [ProviderEvent] = []
    private(set) var actions: [MediaAction] = []
    private(set) var attempts: [SignallingOutput.Attempt] = []
    private(set) var answers: [CommandID: Result<CommandValue, any Error>] = [:]
    /// The number of the socket that is read.
    private(set) var socket = 0
    private var lastCommand: CommandID = 0
    /// Media connections that answer nothing leave it to the test.
    var isMediaWilling = true
    /// What waits in every data channel, in bytes.
    var buffered = 0

    init(
        single: Bool = true, settings: SignallingSettings = .init(),
        join change: (inout Livekit_JoinResponse) -> Void = { _ in }
    ) {
        let joined = Self.joined(single: single, change)
        // Any address will do: nobody looks for it.
        let server = (try? SignalTarget(serverURL: "ws://server.example:7880"))!
        machine = SignallingMachine(joined, server: server, token: "first", settings: settings, now: now)
        perform(machine.begin(joined, now: now))
        if single { stateChanged(.connected, .publisher) }
    }

    static func joined(
        single: Bool, participant: String = "PA_me", _ change: (inout Livekit_JoinResponse) -> Void = { _ in }
    ) -> JoinedSession {
        var response = Livekit_JoinResponse()
        response.participant.sid = participant
        response.participant.identity = "me"
        response.participant.permission.canPublish = true
        response.subscriberPrimary = !single
        (response.pingInterval, response.pingTimeout) = (5, 15)
        change(&response)
        let offer = Livekit_SessionDescription.with { ($0.type, $0.id, $0.sdp) = ("offer", 1, sdp(1)) }
        return JoinedSession(response: response, offer: single ? offer : nil)
    }

    /// What the media connections describe themselves by: credentials of their own for each number.
    static func sdp(_ number: UInt32) -> String { "a=ice-ufrag:u\(number)\r\n" }

    // MARK: In

    mutating func take(_ input: SignallingInput) { perform(machine.handle(input, now: now)) }
    mutating func media(_ input: MediaInput) { take(.media(input, connections: machine.negotiation.connections)) }

    mutating func say(_ build: (inout Livekit_SignalResponse) -> Void) {
        take(.message(.with(build), socket: socket))
    }

    /// Asks for something; gives the number of the answer.
    @discardableResult
    mutating func ask(_ command: SignallingCommand) -> CommandID {
        lastCommand += 1
        take(.command(command, lastCommand))
        return lastCommand
    }

    /// Lets time go by, from one deadline to the next.
    mutating func pass(seconds: Double) {
        let end = now.advanced(seconds: seconds)
        while let next = machine.nextDeadline, next <= end {
            now = max(now, next)
            perform(machine.advance(to: now))
        }
        now = end
    }

    /// Does what is due now.
    mutating func advance() { perform(machine.advance(to: now)) }

    mutating func stateChanged(_ state: SessionState, _ side: MediaPaths.Side) {
        media(.event(.stateChanged(state), side))
    }

    /// The server answers the last offer.
    mutating func answerOffer() {
        guard let offer = machine.negotiation.offers.lastOffer?.message else { return }
        say { $0.answer = .with { ($0.type, $0.id, $0.sdp) = ("answer", offer.id, "answer") } }
    }

    /// The next ping is sent and answered.
    mutating func answerPing() {
        pass(seconds: 5)
        guard let ping = sent("pingReq").last?.pingReq else { return }
        say { $0.pongResp.lastPingTimestamp = ping.timestamp }
    }

    /// The server takes the last track that it was asked for.
    mutating func acceptTrack(_ sid: String) {
        guard let request = sent.last(where: { !$0.addTrack.cid.isEmpty })?.addTrack else { return }
        say {
            $0.trackPublished.cid = request.cid
            $0.trackPublished.track.sid = sid
            $0.trackPublished.track.type = request.type
        }
    }

    /// Publishes a tone, up to the server's answer to the offer. Gives the track.
    mutating func publishTone(_ sid: String) -> LocalTrack {
        let track = LocalTrack(.audio(ToneSource(frequency: 440), .init()), id: "cid-\(sid)")
        ask(.publish(track, .microphone))
        acceptTrack(sid)
        answerOffer()
        return track
    }

    // MARK: Out

    /// What came out since the last look.
    mutating func takeLines() -> [String] {
        defer { lines = [] }
        return lines
    }

    /// The messages of that kind.
    func sent(_ kind: String) -> [Livekit_SignalRequest] { sent.filter { Self.kind($0.message) == kind } }

    private mutating func perform(_ outputs: [SignallingOutput]) {
        for output in outputs {
            if let line = Self.words(output) { lines.append(line) }
            switch output {
            case .send(let message): sent.append(message)
            case .report(let event): events.append(event)
            case .settle(let command, let result): answers[command] = result
            case .listen(let number): socket = number
            case .mute(let track, let isMuted): track.isMuted = isMuted
            case .resume(let attempt, _), .join(let attempt): attempts.append(attempt)
            case .media(let action):
                actions.append(action)
                if isMediaWilling { answer(action) }
            default: break
            }
        }
    }

    private mutating func answer(_ action: MediaAction) {
        switch action {
        case .prepareChannels:
            media(.channelsPrepared(Set(SessionChannel.allCases)))
            for kind in SessionChannel.allCases { media(.channelOpened(kind)) }
        case .createOffer(let number, _): media(.offerMade(number: number, sdp: Self.sdp(number)))
        case .setAnswer(let answer): media(.answerTaken(answer))
        case .answer(let offer): media(.answerMade(to: offer, sdp: "our answer"))
        case .addTrack(let track): media(.trackAdded(track.id))
        case .askRoom(let kind): media(.room(kind, buffered: buffered, longest: 262_144))
        case .setServers, .addCandidate, .addReceivers, .removeTrack, .setActiveLayers, .put: break
        }
    }

    /// The name of an enumeration's case.
    static func kind(_ value: Any?) -> String {
        guard let value else { return "nothing" }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional { return kind(mirror.children.first?.value) }
        return mirror.children.first?.label ?? "\(value)"
    }

    private static func words(_ output: SignallingOutput) -> String? {
        switch output {
        case .send(let message): "send \(kind(message.message))"
        case .media(.createOffer(let number, let restarts)):
            "media createOffer \(number)" + (restarts ? " restarting" : "")
        case .media(let action): "media \(kind(action))"
        case .report(let event): "report \(kind(event))"
        case .settle(let command, .success(let value)): "settle \(command) \(kind(value))"
        case .settle(let command, .failure): "settle \(command) failed"
        case .resume(_, let resumption): "resume \(resumption.participant) \(resumption.reason)"
        case .join(let attempt): "join with \(attempt.token)"
        case .end(let reason, _): "end \(reason)"
        case .dropSocket: "dropSocket"
        case .dropSocketFrom(let address, _): "dropSocket from \(address)"
        case .listen, .log, .protect, .mute, .setInjectionTrailer: nil
        }
    }
}
