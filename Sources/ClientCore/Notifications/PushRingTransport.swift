public import CallModel
import Synchronization

/// A device's line to its exchange that sleeps until a notification says that a call rings.
///
/// The call rings at once, by what the notification says. Meanwhile the exchange is called, which then says itself what becomes of
/// it: what it offers again is known already, and an answer that was given before counts.
public final class PushRingTransport: RingTransport {
    private struct State {
        var listener: AsyncStream<RingSignal>.Continuation?
        /// Calls that rang before anybody listened.
        var early: [RingOffer] = []
        var reader: Task<Void, Never>?
        var isClosed = false
    }

    /// Offers that wait for a listener.
    private static let capacity = 16

    /// The device that it speaks for.
    public var device: RingDevice { line.device }
    private let line: any RingTransport
    private let state = Mutex(State())

    init(_ line: any RingTransport) { self.line = line }

    deinit { state.withLock { $0.reader?.cancel() } }

    /// What rings, and what the exchange says of it. Does not fail: the exchange is called later.
    public func signals() async throws -> AsyncStream<RingSignal> {
        let (stream, continuation) = AsyncStream.makeStream(of: RingSignal.self)
        let offers = state.withLock { state in
            state.listener?.finish()
            state.listener = state.isClosed ? nil : continuation
            defer { state.early = [] }
            return state.early
        }
        if state.withLock(\.isClosed) { continuation.finish() }
        for offer in offers { ring(offer) }
        return stream
    }

    /// Says something to the exchange.
    public func send(_ command: RingCommand) async throws -> String { try await line.send(command) }

    /// Ends it, and the line to the exchange.
    public func close() async {
        let reader = state.withLock { state in
            state.isClosed = true
            state.listener?.finish()
            state.listener = nil
            defer { state.reader = nil }
            return state.reader
        }
        reader?.cancel()
        await line.close()
    }

    /// Nothing rings here any more.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// A notification says that a call rings.
    func ring(_ offer: RingOffer) {
        state.withLock { state in
            guard !state.isClosed else { return }
            guard let listener = state.listener else {
                if state.early.count < Self.capacity { state.early.append(offer) }
                return
            }
            listener.yield(.offer(offer))
            if state.reader == nil {
                state.reader = Task { [weak self, line] in await Self.listen(line) { self?.heard($0) } }
            }
        }
    }

    private func heard(_ signal: RingSignal?) {
        state.withLock { state in
            if let signal { state.listener?.yield(signal) } else { state.reader = nil }
        }
    }

    /// Until the line is gone. The next notification calls the exchange again.
    private static func listen(_ line: any RingTransport, _ heard: (RingSignal?) -> Void) async {
        if let signals = try? await line.signals() { for await signal in signals { heard(signal) } }
        heard(nil)
    }
}
