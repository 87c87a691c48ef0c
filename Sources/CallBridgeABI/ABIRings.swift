import CCallBridge
import ClientCore
import Synchronization

/// Calls that ring on a client's device, and those that were placed from it.
final class ABIRings: Sendable {
    private struct State {
        /// Made anew by each start: a line that was closed stays so.
        var phone: RingPhone?
        var reading: Task<Void, Never>?
        /// Rings that were offered, and not decided about.
        var offered: Set<String> = []
        /// Calls that somebody has a handle of already, until they are joined.
        var expected: [String: CallPromise] = [:]
        /// What the phone has joined.
        var joined: [String: Call] = [:]
    }

    private let client: CallClient
    private let server: String
    private let credentials: ServiceCredentials
    private let device: RingDevice
    private let name: String
    private let callbacks: ClientCallbacks
    private let state = Mutex(State())

    init(
        _ client: CallClient, server: String, _ credentials: ServiceCredentials, _ device: RingDevice, name: String,
        _ callbacks: ClientCallbacks
    ) {
        self.client = client
        self.server = server
        self.credentials = credentials
        self.device = device
        self.name = name
        self.callbacks = callbacks
    }

    // MARK: Life

    /// Begins to listen, where it does not. Throws `CallError`.
    func start() async throws {
        guard state.withLock({ $0.phone == nil }) else { return }
        let line = ServerRingTransport(server: server, credentials: credentials, device: device)
        let phone = RingPhone(
            line, presenter: ABIPresenter(self),
            stopClient: { [weak self] ring in await self?.joined(ring)?.leave() },
            client: { [weak self] start in try await self?.join(start) })
        let isNew = state.withLock { state in
            guard state.phone == nil else { return false }
            state.phone = phone
            return true
        }
        guard isNew else { return }
        do { try await phone.start() } catch {
            state.withLock { $0.phone = nil }
            throw error
        }
        let reading = Task { [weak self] in
            for await (ring, outcome) in phone.outcomes { self?.finish(ring, outcome) }
        }
        state.withLock { $0.reading = reading }
    }

    func stop() async {
        let (phone, reading) = state.withLock { state in
            defer { (state.phone, state.reading) = (nil, nil) }
            return (state.phone, state.reading)
        }
        await phone?.stop()
        // What still rang has failed by now.
        await reading?.value
    }

    private func phone() throws -> RingPhone {
        guard let phone = state.withLock({ $0.phone }) else {
            throw ABIError.state("the client is not started; start it first")
        }
        return phone
    }

    private func joined(_ ring: String) -> Call? { state.withLock { $0.joined[ring] } }

    // MARK: What C asks for

    /// Places a call, and gives what becomes of it. Throws where nobody listens.
    func place(_ conversation: String, isVideo: Bool, to person: String, _ callbacks: Callbacks) throws -> ABICall {
        let phone = try phone()
        let ring = "call-\(UInt64.random(in: 0...UInt64.max))"
        let promise = expect(ring)
        var request = RingRequest(
            conversationId: conversation, callType: isVideo ? .video : .audio, callerName: name, groups: [[person]])
        request.callId = ring
        let placed = request
        Task { _ = await phone.place(placed) }
        return call(ring, promise, phone, callbacks)
    }

    /// Answers what rings, and gives what becomes of it. Throws where it does not.
    func answer(_ ring: String, _ callbacks: Callbacks) throws -> ABICall {
        let phone = try phone()
        try decide(ring)
        let promise = expect(ring)
        Task { await phone.answer(ring) }
        return call(ring, promise, phone, callbacks)
    }

    func decline(_ ring: String) throws {
        let phone = try phone()
        try decide(ring)
        Task { await phone.decline(ring) }
    }

    /// Whatever rings is answered or declined once.
    private func decide(_ ring: String) throws {
        guard state.withLock({ $0.offered.remove(ring) }) != nil else {
            throw ABIError.state("\(ring.prefix(80)) rings no longer, or was answered")
        }
    }

    private func expect(_ ring: String) -> CallPromise {
        let promise = CallPromise()
        state.withLock { $0.expected[ring] = promise }
        return promise
    }

    private func call(_ ring: String, _ promise: CallPromise, _ phone: RingPhone, _ callbacks: Callbacks) -> ABICall {
        ABICall(callbacks) { wasJoined in
            // The exchange is told: a call that nobody has joined is given up, others are left.
            if wasJoined { await phone.hangUp(ring) } else { await phone.decline(ring) }
        } join: {
            try await promise.value()
        }
    }

    // MARK: What the phone does

    func offer(_ offer: RingOffer) {
        state.withLock { _ = $0.offered.insert(offer.callId) }
        callbacks.rings(offer)
    }

    func dismiss(_ ring: String) { state.withLock { _ = $0.offered.remove(ring) } }

    /// Joins a call that was answered, and returns when its media is connected.
    private func join(_ start: RingPhone.Start) async throws {
        let promise = state.withLock { $0.expected.removeValue(forKey: start.callId) }
        do {
            let call = try await client.join(start.conversationId, isVideo: start.callType == .video)
            state.withLock { $0.joined[start.callId] = call }
            promise?.fulfil(.success(call))
            for await event in call.events {
                switch event {
                case .mediaConnected, .stateChanged(.active): return
                case .ended(_, let detail): throw ABIError.state(detail)
                default: continue
                }
            }
            throw ABIError.state("the call is over")
        } catch {
            promise?.fulfil(.failure(error))
            throw error
        }
    }

    private func finish(_ ring: String, _ outcome: RingOutcome) {
        let promise = state.withLock { state in
            state.offered.remove(ring)
            state.joined[ring] = nil
            return state.expected.removeValue(forKey: ring)
        }
        promise?.fulfil(.failure(ABIError.state(outcome.reason)))
        callbacks.ringEnded(ring, outcome)
    }
}

/// Shows calls to the application.
private struct ABIPresenter: RingPresenter {
    private weak let rings: ABIRings?

    init(_ rings: ABIRings) { self.rings = rings }

    func present(_ offer: RingOffer, decide: @escaping @Sendable (RingDecision) async -> Void) async {
        rings?.offer(offer)
    }
    func dismiss(_ offer: RingOffer) async { rings?.dismiss(offer.callId) }
}

/// A call that will be there, or not. It is asked for by one.
final class CallPromise: Sendable {
    private let results: AsyncStream<Result<Call, any Error>>
    private let sink: AsyncStream<Result<Call, any Error>>.Continuation

    init() { (results, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1)) }

    func fulfil(_ result: Result<Call, any Error>) {
        sink.yield(result)
        sink.finish()
    }

    /// Throws where it will not be there, or where the task is cancelled.
    func value() async throws -> Call {
        for await result in results { return try result.get() }
        throw ABIError.state("the call was given up")
    }
}
