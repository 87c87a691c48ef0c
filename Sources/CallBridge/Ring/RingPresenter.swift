import CallModel
public import MediaCore
import Synchronization

/// What the user does with a call that rings.
public enum RingDecision: Sendable, Hashable {
    /// Take it.
    case answer
    /// Don't.
    case decline
}

/// Shows ringing calls to a user, and hears what they do. Nothing of a client runs for it.
public protocol RingPresenter: Sendable {
    /// Whether it can be used in a region; where not, incoming calls are shown as ordinary notifications.
    func isSupported(region: String) -> Bool
    /// A call rings. `decide` may be called at any time until `dismiss`; further decisions are passed over, but declining
    /// what was answered hangs up.
    func present(_ offer: RingOffer, decide: @escaping @Sendable (RingDecision) async -> Void) async
    /// It was answered; what is being waited for before the client may start.
    func waiting(_ offer: RingOffer, for reason: String) async
    /// The application is asked to come to the foreground.
    func requestActivation(_ offer: RingOffer) async
    /// The call rings no longer here.
    func dismiss(_ offer: RingOffer) async
}

extension RingPresenter {
    /// Everywhere.
    public func isSupported(region: String) -> Bool { true }
    /// Nothing.
    public func waiting(_ offer: RingOffer, for reason: String) async {}
    /// Nothing.
    public func requestActivation(_ offer: RingOffer) async {}
    /// Nothing.
    public func dismiss(_ offer: RingOffer) async {}
}

/// Shows nothing: the application asks and decides by itself.
public struct NoRingPresenter: RingPresenter {
    /// A presenter that does nothing.
    public init() {}

    /// Nothing.
    public func present(_ offer: RingOffer, decide: @escaping @Sendable (RingDecision) async -> Void) async {}
}

/// Tells of calls in lines of text.
public struct ConsoleRingPresenter: RingPresenter {
    private let write: @Sendable (String) -> Void

    /// - Parameter write: takes a line without its end.
    public init(write: @escaping @Sendable (String) -> Void) { self.write = write }

    /// `incoming VIDEO call from Ada (ada), call-17`
    public func present(_ offer: RingOffer, decide: @escaping @Sendable (RingDecision) async -> Void) async {
        let name = offer.callerName.isEmpty ? offer.callerPersonId : "\(offer.callerName) (\(offer.callerPersonId))"
        // Others chose these words; they end no line and steer no terminal.
        write("incoming \(offer.callType.rawValue) call from \(name), \(offer.callId)".printable)
    }

    /// `answered, waiting: the device is locked`
    public func waiting(_ offer: RingOffer, for reason: String) async { write("answered, waiting: \(reason)") }
    /// `the application is asked to come to the foreground`
    public func requestActivation(_ offer: RingOffer) async {
        write("the application is asked to come to the foreground")
    }
    /// `call-17 rings no longer`
    public func dismiss(_ offer: RingOffer) async { write("\(offer.callId) rings no longer".printable) }
}

/// Does what a script says with each call, and notes what it was asked to show.
public final class ScriptedRingPresenter: RingPresenter {
    /// What to do with one call.
    public struct Step: Sendable, Hashable {
        /// What; nil lets it ring.
        public var decision: RingDecision?
        /// How long after it begins to ring.
        public var afterMilliseconds: Int64

        /// A step.
        public init(_ decision: RingDecision?, afterMilliseconds: Int64 = 0) {
            self.decision = decision
            self.afterMilliseconds = afterMilliseconds
        }
    }

    private let steps: Mutex<[Step]>
    private let clock: MediaClock
    private let shownLines = Mutex<[String]>([])

    /// - Parameters:
    ///   - steps: one for each call in turn; the last one serves all that follow.
    ///   - clock: what their times are waited for on.
    public init(_ steps: [Step], clock: MediaClock = .system) {
        self.steps = Mutex(steps)
        self.clock = clock
    }

    /// What was shown, in order: `present`, `waiting`, `activate`, `dismiss`, each with the call's id.
    public var shown: [String] { shownLines.withLock { $0 } }

    /// Notes it, and does what the script says.
    public func present(_ offer: RingOffer, decide: @escaping @Sendable (RingDecision) async -> Void) async {
        note("present \(offer.callId)")
        let step = steps.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
        guard let step, let decision = step.decision else { return }
        Task { [clock] in
            if step.afterMilliseconds > 0 { try? await clock.wait(seconds: Double(step.afterMilliseconds) / 1000) }
            await decide(decision)
        }
    }

    /// Notes it.
    public func waiting(_ offer: RingOffer, for reason: String) async { note("waiting \(offer.callId)") }
    /// Notes it.
    public func requestActivation(_ offer: RingOffer) async { note("activate \(offer.callId)") }
    /// Notes it.
    public func dismiss(_ offer: RingOffer) async { note("dismiss \(offer.callId)") }

    private func note(_ line: String) { shownLines.withLock { $0.append(line) } }
}
