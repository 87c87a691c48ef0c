import Testing

@testable import ClientModel

/// Whatever a machine asked for and has not been answered yet; answers come in any order.
private struct World {
    var machine: ClientMachine
    var random: SeededGenerator
    var waiting: Set<Int> = []
    var tickets: [Int] = []
    var connecting: [Int] = []
    var standing: Set<Int> = []
    var releasing: [Int] = []
    var timers: [ClientTimer: Int] = [:]
    var isInitialized = false
    var phases: [ClientPhase] = []
    var lastWaiter = 0
    var lastWish: ClientPhase?
    var isFriendly = false

    init(seed: UInt64) {
        machine = ClientMachine(startTimeout: 1_000, seed: seed)
        random = SeededGenerator(seed)
    }

    mutating func put(_ input: ClientMachine.Input) {
        var actions: [ClientMachine.Action] = []
        machine.handle(input, into: &actions)
        for action in actions { perform(action) }
    }

    mutating func perform(_ action: ClientMachine.Action) {
        switch action {
        case .fetchToken(let ticket): tickets.append(ticket)
        case .connect(_, let attempt):
            #expect(connecting.isEmpty && standing.isEmpty && releasing.isEmpty, "one connection at a time")
            connecting.append(attempt)
        case .disconnect(let attempt):
            #expect(connecting.contains(attempt) || standing.contains(attempt), "there is something to release")
            connecting.removeAll { $0 == attempt }
            standing.remove(attempt)
            releasing.append(attempt)
        case .useToken: #expect(machine.phase == .ready)
        case .setTimer(let timer, let number, _): timers[timer] = number
        case .cancelTimer(let timer): timers[timer] = nil
        case .answer(let waiter, _): #expect(waiting.remove(waiter) != nil, "answered once")
        case .endCalls: #expect(isInitialized)
        case .report(.initialized):
            #expect(!isInitialized)
            isInitialized = true
        case .report(.deinitialized):
            #expect(isInitialized)
            isInitialized = false
        case .report(.phase(let phase)): phases.append(phase)
        case .report(.link), .report(.error): break
        }
    }

    /// One thing that may happen now, by chance.
    mutating func step() {
        var moves: [(inout World) -> Void] = []
        if !isFriendly {
            moves.append { $0.wish(.start(waiter: $0.newWaiter()), .ready) }
            moves.append { $0.wish(.stop(waiter: $0.newWaiter()), .stopped) }
            moves.append { $0.put(.setToken(ClientToken("set"))) }
        }
        let isFriendly = isFriendly
        for ticket in tickets {
            moves.append { world in
                world.tickets.removeAll { $0 == ticket }
                let fails = !isFriendly && Bool.random(using: &world.random)
                let error = ClientError(.authorization, "no token")
                world.put(
                    .token(fails ? .failure(error) : .success(ClientToken("t", validFor: 60_000)), ticket: ticket))
            }
        }
        for attempt in connecting {
            moves.append { world in
                world.connecting.removeAll { $0 == attempt }
                switch isFriendly ? 0 : Int.random(in: 0..<6, using: &world.random) {
                case 1: world.put(.connectFailed(.unauthorized("401"), attempt: attempt))
                case 2, 3: world.put(.connectFailed(.unreachable("away"), attempt: attempt))
                default:
                    world.standing.insert(attempt)
                    world.put(.connected(attempt: attempt))
                }
            }
        }
        if !isFriendly {
            for attempt in standing {
                moves.append { world in
                    world.standing.remove(attempt)
                    world.put(.lost(attempt: attempt))
                }
                moves.append { $0.put(.unauthorized(attempt: attempt)) }
            }
        }
        for attempt in releasing {
            moves.append { world in
                world.releasing.removeAll { $0 == attempt }
                world.put(.released(attempt: attempt))
            }
        }
        for (timer, number) in timers.sorted(by: { $0.value < $1.value }) where !(isFriendly && timer != .retry) {
            moves.append { world in
                world.timers[timer] = nil
                world.put(.timer(timer, number: number))
            }
        }
        if let move = moves.randomElement(using: &random) { move(&self) }
    }

    mutating func newWaiter() -> Int {
        lastWaiter += 1
        waiting.insert(lastWaiter)
        return lastWaiter
    }

    mutating func wish(_ input: ClientMachine.Input, _ phase: ClientPhase) {
        lastWish = phase
        put(input)
    }

    var isQuiet: Bool { connecting.isEmpty && releasing.isEmpty && tickets.isEmpty }
}

@Suite struct ClientInterleavingTests {
    /// Every start and stop is answered once, there is one connection at most, and what was asked for last is what comes.
    @Test(arguments: 0..<400) func anyOrder(seed: UInt64) {
        var world = World(seed: seed)
        for _ in 0..<200 { world.step() }
        // The last word, and from now on everything works.
        let wantsReady = Bool.random(using: &world.random)
        world.isFriendly = true
        if wantsReady {
            world.wish(.start(waiter: world.newWaiter()), .ready)
        } else {
            world.wish(.stop(waiter: world.newWaiter()), .stopped)
        }
        for _ in 0..<200 where !(world.isQuiet && world.waiting.isEmpty) { world.step() }
        #expect(world.waiting.isEmpty, "nobody waits in vain")
        if wantsReady {
            #expect(world.machine.phase == .ready)
        } else {
            #expect([.stopped, .idle].contains(world.machine.phase))
            #expect(world.standing.isEmpty && world.connecting.isEmpty, "nothing is left over")
            #expect(world.timers.isEmpty)
        }
        #expect(world.isInitialized == (world.machine.phase == .ready))
        #expect(zip(world.phases, world.phases.dropFirst()).allSatisfy { $0 != $1 }, "each change is told once")
    }

    /// A fatal error at any moment ends the client for good, and nothing hangs.
    @Test(arguments: 0..<200) func fatalAtAnyMoment(seed: UInt64) {
        var world = World(seed: seed)
        for _ in 0..<Int.random(in: 0..<60, using: &world.random) { world.step() }
        world.put(.fatal(ClientError(.internalError, "broken")))
        world.isFriendly = true
        for _ in 0..<50 { world.step() }
        #expect(world.machine.phase == .failed)
        #expect(world.waiting.isEmpty && world.standing.isEmpty && world.connecting.isEmpty && !world.isInitialized)
        world.put(.start(waiter: world.newWaiter()))
        #expect(world.waiting.isEmpty && world.machine.phase == .failed)
    }
}
