import LiveKitProtocol
import MediaCore

/// The signalling socket: where the next one leads, whether the present one is alive, and what waits for it. A value.
struct SignalLink {
    var token: String
    var addresses: ServerAddresses
    var queue = SignalQueue()
    private(set) var ping: PingClock
    /// Counts the sockets: what an older one still says does not matter.
    private(set) var socket = 0
    private(set) var nextPing: MediaTime?

    init(server: SignalTarget, token: String, ping: PingClock) {
        self.token = token
        addresses = ServerAddresses(server)
        self.ping = ping
    }

    /// Where the next attempt leads.
    var attempt: SignallingOutput.Attempt { .init(server: addresses.current, token: token) }

    /// What a join response says for later.
    mutating func adopt(_ response: Livekit_JoinResponse, now: MediaTime) {
        ping = PingClock(response, now: now)
        addresses.adopt(alternative: response.alternativeURL)
    }

    /// There is a socket: it is read, and pinged at once and from then on.
    mutating func listen(_ turn: inout SignallingTurn) {
        socket += 1
        turn.perform(.listen(socket: socket))
        ping.heard(now: turn.now)
        sendPing(&turn)
    }

    /// What the present socket still brings is late from now on.
    mutating func drop(_ turn: inout SignallingTurn) {
        socket += 1
        nextPing = nil
        turn.perform(.dropSocket)
    }

    /// An address of this machine is gone, and the socket with it where it leads from there.
    func lost(_ address: String, _ turn: inout SignallingTurn) {
        if nextPing != nil { turn.perform(.dropSocketFrom(address: address, socket: socket)) }
    }

    /// The call is over.
    mutating func end() { nextPing = nil }

    mutating func heard(now: MediaTime) { ping.heard(now: now) }

    mutating func answered(_ pong: Livekit_Pong, now: MediaTime) { ping.answered(pong, now: now) }

    /// Pings where it is time to; true where the server has been silent for too long.
    mutating func advance(_ turn: inout SignallingTurn) -> Bool {
        guard let nextPing, nextPing <= turn.now else { return false }
        guard !ping.isLost(now: turn.now) else {
            self.nextPing = turn.now.advanced(seconds: ping.interval)
            return true
        }
        sendPing(&turn)
        return false
    }

    private mutating func sendPing(_ turn: inout SignallingTurn) {
        nextPing = turn.now.advanced(seconds: ping.interval)
        let message = ping.message(now: turn.now)
        turn.send { $0.pingReq = message }
    }
}
