import OpenTokClient
import OpenTokSignalling
import RTCSim
import RTCWire

@testable import ProviderFake
@testable import ProviderOpenTokLike

/// One session's place in the simulated network: its sockets, and whether anything comes through.
// Touched in the world's turns alone, which are the session's.
final class VirtualPlace: SocketOpener, @unchecked Sendable {
    let house: VirtualHouse
    let session: OpenTokSessionID
    let connection: String
    /// As the token says.
    let identity: String
    let queue = FakeEventQueue()
    /// Nothing comes through; sockets do not notice.
    private(set) var isCut = false
    /// Sockets are gone, and none opens.
    private var isDown = false
    private var sockets: [VirtualSocket] = []
    /// Sockets that were asked for in vain.
    private(set) var refusals = 0
    fileprivate var random: SeededGenerator

    init(_ house: VirtualHouse, _ settings: ClientSettings) {
        self.house = house
        session = settings.info.session
        connection = settings.connection
        let token = try? OpenTokToken(
            verifying: settings.token, secrets: VirtualHouse.secrets, session: settings.info.session.text,
            now: 1_800_000_000)
        identity = token?.connectionData ?? ""
        random = SeededGenerator(seed: house.seed)
    }

    func open(_ request: RumorSocketRequest, _ number: Int, for session: OpenTokLikeSession) {
        house.enter(self)
        let socket = VirtualSocket(request, number, at: self, of: session)
        sockets.append(socket)
        if isDown || house.isStopped {
            refusals += 1
            socket.fail()
        } else {
            socket.ask(.opened)
        }
    }

    func setCut(_ isCut: Bool) {
        self.isCut = isCut
        if !isCut { for socket in sockets { socket.release() } }
    }

    /// Takes the sockets away, or lets new ones open.
    ///
    /// - Parameter isNoticed: the server is told that they are gone.
    func setDown(_ isDown: Bool, isNoticed: Bool) {
        self.isDown = isDown
        guard isDown else { return }
        for socket in sockets { socket.break(isNoticed: isNoticed) }
        sockets = []
    }
}

/// A WebSocket in the simulated network: what is sent arrives in order; nothing is lost but the socket as a whole.
// Touched in the world's turns alone.
final class VirtualSocket: MessageSocket, @unchecked Sendable {
    enum Item {
        case opened
        case message([UInt8])
        case closed(Int)
    }

    let request: RumorSocketRequest
    private let number: Int
    private let place: VirtualPlace
    private weak var session: OpenTokLikeSession?
    private var arrivals: [Bool: Instant] = [:]
    private var held: [(item: Item, isForServer: Bool)] = []
    private var isBroken = false

    init(_ request: RumorSocketRequest, _ number: Int, at place: VirtualPlace, of session: OpenTokLikeSession) {
        self.request = request
        self.number = number
        self.place = place
        self.session = session
    }

    // MARK: The client's end

    func send(_ bytes: [UInt8]) { ask(.message(bytes)) }

    nonisolated(nonsending) func close(code: Int) async { ask(.closed(code)) }

    /// The simulated machine keeps its address.
    func abandon(from address: String) -> Bool { false }

    func abandon() { ask(.closed(1006)) }

    func ask(_ item: Item) { travel(item, isForServer: true) }

    /// It does not open.
    func fail() {
        isBroken = true
        place.house.simulation.schedule(at: place.house.simulation.now + .milliseconds(20)) { [weak self] in
            guard let self else { return }
            session?.assumeIsolated { [number] in $0.take(.closed(socket: number, code: 1006)) }
        }
    }

    // MARK: The server's end

    func say(_ item: Item) { travel(item, isForServer: false) }

    // MARK: On the way

    private func travel(_ item: Item, isForServer: Bool) {
        let simulation = place.house.simulation
        let at = max(
            simulation.now + place.house.segmentDelay(&place.random), arrivals[isForServer] ?? simulation.now)
        arrivals[isForServer] = at
        simulation.schedule(at: at) { [self] in
            guard !isBroken else { return }
            if place.isCut { held.append((item, isForServer)) } else { arrive(item, isForServer) }
        }
    }

    /// What was held up arrives.
    func release() {
        let waiting = held
        held = []
        for (item, isForServer) in waiting where !isBroken { arrive(item, isForServer) }
    }

    func `break`(isNoticed: Bool) {
        isBroken = true
        if isNoticed { place.house.host(place.session).closed(self, code: 1006) }
        session?.assumeIsolated { $0.closed(self, number, code: 1006) }
    }

    private func arrive(_ item: Item, _ isForServer: Bool) {
        if isForServer { return arriveAtServer(item) }
        session?.assumeIsolated { session in
            switch item {
            case .opened: if !session.opened(self, number) { abandon() }
            case .message(let bytes): session.take(.message(bytes, socket: number))
            case .closed(let code): session.closed(self, number, code: code)
            }
        }
    }

    private func arriveAtServer(_ item: Item) {
        let host = place.house.host(place.session)
        switch item {
        case .opened: host.enter(self)
        case .message(let bytes): host.take(bytes, on: self)
        case .closed(let code): host.closed(self, code: code)
        }
    }
}
