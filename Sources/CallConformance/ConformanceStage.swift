public import CallBridge
import MediaCore

/// Where a scenario takes place: it brings people in, makes things happen, and waits for what must follow.
public actor ConformanceStage {
    /// The room that scenarios meet in.
    public static let room = "conformance"

    /// The subject's world.
    public nonisolated let world: any ConformanceWorld
    /// How long `until` waits where it is not told, in milliseconds of the world's time.
    nonisolated let patienceMilliseconds: Int
    private let engine = MediaEngine()
    private var people: [ConformancePerson] = []
    private var bridges: [CallBridge] = []
    private var exchanges: [ConformanceExchange] = []
    private var devices: [ConformanceDevice] = []
    private var broken: [String] = []

    init(_ world: any ConformanceWorld, patienceMilliseconds: Int) {
        self.world = world
        self.patienceMilliseconds = patienceMilliseconds
    }

    /// Brings somebody in, through a bridge of their own.
    public func join(
        _ identity: String, room: String = ConformanceStage.room, subscribesAutomatically: Bool = true
    ) async throws -> ConformancePerson {
        let descriptor = try await world.descriptor(identity: identity, room: room)
        return try await join(identity, descriptor, subscribesAutomatically: subscribesAutomatically)
    }

    /// Brings somebody in with a given descriptor. Throws what the bridge throws.
    public func join(
        _ identity: String, _ descriptor: CallDescriptor, subscribesAutomatically: Bool = true
    ) async throws -> ConformancePerson {
        let configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(descriptor), providers: [ProviderRegistration(world.provider)])
        return try await join(identity, configuration, subscribesAutomatically: subscribesAutomatically)
    }

    /// Brings somebody in through a bridge that is set up as the scenario wants it. Throws what the bridge throws.
    func join(
        _ identity: String, _ configuration: CallBridge.Configuration, subscribesAutomatically: Bool
    ) async throws -> ConformancePerson {
        var configuration = configuration
        configuration.engine = engine
        configuration.clock = world.clock
        world.configure(&configuration, for: identity)
        let bridge = CallBridge(configuration: configuration)
        bridges.append(bridge)
        let call = try await bridge.join(
            conversation: ConformanceStage.room, as: identity, subscribesAutomatically: subscribesAutomatically)
        let person = ConformancePerson(identity, call: call)
        people.append(person)
        await person.watch()
        return person
    }

    /// Brings several in, and waits until media is connected and everybody knows of everybody.
    public func gather(_ identities: [String]) async throws -> [ConformancePerson] {
        var people: [ConformancePerson] = []
        for identity in identities { people.append(try await join(identity)) }
        let gathered = people
        try await until("everybody is connected and knows of everybody") {
            for person in gathered {
                guard await person.call.state == .active,
                    Set(person.present.map(\.identity)) == Set(identities).subtracting([person.identity])
                else { return false }
            }
            return true
        }
        return people
    }

    /// Makes something happen.
    public func inject(_ fault: ConformanceFault) async throws { try await world.inject(fault) }

    /// Lets time go by.
    public func pass(milliseconds: Int) async {
        await world.pass(milliseconds: milliseconds)
        await ring()
    }

    /// An exchange that rings devices.
    ///
    /// - Parameter ringMilliseconds: how long one group rings.
    public func exchange(ringMilliseconds: Int64 = 30_000) -> ConformanceExchange {
        var timing = RingExchange.Timing()
        timing.ring = ringMilliseconds
        timing.unavailableNotice = 1000
        let exchange = ConformanceExchange(self, timing: timing)
        exchanges.append(exchange)
        return exchange
    }

    func keep(_ device: ConformanceDevice) { devices.append(device) }

    /// What rings does so in the world's time.
    private func ring() async {
        for exchange in exchanges { exchange.advance() }
        for device in devices { await device.advance() }
        // Clients and reports run beside the world's time: in a simulated one hours would go by before they get a turn.
        if !devices.isEmpty { try? await Task.sleep(for: .milliseconds(1)) }
    }

    /// Returns once `condition` holds. Throws `ConformanceFailure` where it does not within `limit` of the world's time; nil
    /// is the patience that the scenario is run with.
    public nonisolated func until(
        _ what: String, within limitMilliseconds: Int? = nil, _ condition: () async throws -> Bool
    ) async throws {
        let limitMilliseconds = limitMilliseconds ?? patienceMilliseconds
        let end = world.clock.now.advanced(seconds: Double(limitMilliseconds) / 1000)
        while try await !condition() {
            guard world.clock.now < end else {
                throw ConformanceFailure("not within \(limitMilliseconds) ms: \(what)")
            }
            await pass(milliseconds: 20)
        }
    }

    /// Throws `ConformanceFailure` unless `condition` holds.
    public nonisolated func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw ConformanceFailure(what()) }
    }

    /// Throws `ConformanceFailure` unless `body` throws a `CallError` with that code.
    public nonisolated func expect(
        _ code: CallError.Code, _ what: String, from body: () async throws -> Void
    ) async throws {
        do {
            try await body()
        } catch let error as CallError {
            return try expect(error.code == code, "\(what): the error is \(error.code.rawValue), \(error)")
        } catch {
            throw ConformanceFailure("\(what): the error is no CallError but \(error)")
        }
        throw ConformanceFailure("\(what): there is no error")
    }

    // MARK: What a busy machine delays

    /// Returns once nothing is heard of somebody for a whole second: what was on its way is played first, and on a busy
    /// machine that takes a while. Throws `ConformanceFailure` where the sound goes on.
    nonisolated func untilSilent(_ listener: ConformancePerson, of identity: String) async throws {
        try await until("\(listener.identity) hears nothing of \(identity)") {
            listener.listenAnew()
            await pass(milliseconds: 1000)
            return listener.loudness(of: identity) < 0.01
        }
    }

    /// Returns once no picture has come of somebody for a whole second. Throws `ConformanceFailure` where they go on.
    nonisolated func untilStill(_ viewer: ConformancePerson, of identity: String) async throws {
        try await until("\(viewer.identity) sees nothing new of \(identity)") {
            let before = viewer.pictures(of: identity)
            await pass(milliseconds: 1000)
            return viewer.pictures(of: identity) == before
        }
    }

    /// For how long timers of these people's media were overdue so far, in milliseconds: what the machine did not give can't
    /// be asked of a provider.
    nonisolated func lateMilliseconds(_ people: [ConformancePerson]) async -> Double {
        var late = 0.0
        for person in people { late += await person.call.statistics().lateness.lateMilliseconds }
        return late
    }

    // MARK: After the scenario

    func clear() async {
        for person in people { await person.call.leave() }
        for device in devices { await device.stop() }
        devices = []
        for exchange in exchanges { broken += exchange.close() }
        await world.pass(milliseconds: 20)
        await engine.shutdown()
    }

    /// What somebody was told that does not fit together.
    func violations() -> [String] { people.flatMap(\.violations) + broken }
}
