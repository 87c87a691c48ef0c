public import CallBridge
public import MediaCore

/// A provider that is put to the test, and how a fresh world for it is made.
///
///     struct AcmeSubject: ConformanceSubject {
///         let name = "Acme"
///         func makeWorld(seed: UInt64) async throws -> any ConformanceWorld { AcmeWorld() }
///     }
public protocol ConformanceSubject: Sendable {
    /// What reports call it.
    var name: String { get }
    /// What can be made to happen in its worlds. Scenarios that need something else are left out, and the report says so.
    var faults: Set<ConformanceFault.Kind> { get }
    /// A server with no calls. `seed` is for simulated ones: the same seed gives the same course.
    func makeWorld(seed: UInt64) async throws -> any ConformanceWorld
}

extension ConformanceSubject {
    /// Nothing can be made to happen.
    public var faults: Set<ConformanceFault.Kind> { [] }
}

/// A server, or what stands for one, in which one scenario takes place.
public protocol ConformanceWorld: Sendable {
    /// The provider that carries the calls of this world.
    var provider: any CallProvider { get }
    /// The clock of this world; the machine's unless time is simulated.
    var clock: MediaClock { get }
    /// What lets `identity` into a room.
    func descriptor(identity: String, room: String) async throws -> CallDescriptor
    /// A descriptor that the provider's server must refuse; nil where there is no such thing.
    func refusedDescriptor() async throws -> CallDescriptor?
    /// Changes how somebody's bridge is set up.
    func configure(_ configuration: inout CallBridge.Configuration, for identity: String)
    /// Makes something happen. Called only with faults whose kind the subject names.
    func inject(_ fault: ConformanceFault) async throws
    /// Lets time go by: waits, or moves a simulated clock.
    func pass(milliseconds: Int) async
    /// The scenario is over; all calls have been left.
    func close() async
}

extension ConformanceWorld {
    /// The machine's clock.
    public var clock: MediaClock { .system }
    /// None.
    public func refusedDescriptor() async throws -> CallDescriptor? { nil }
    /// As it is.
    public func configure(_ configuration: inout CallBridge.Configuration, for identity: String) {}
    /// Does nothing.
    public func inject(_ fault: ConformanceFault) async throws {}
    /// Waits.
    public func pass(milliseconds: Int) async { try? await Task.sleep(for: .milliseconds(milliseconds)) }
    /// Does nothing.
    public func close() async {}
}

/// Something that happens to a call from outside.
public enum ConformanceFault: Sendable, Hashable {
    /// Nothing comes through to or from somebody any more.
    case networkCut(identity: String)
    /// It comes through again.
    case networkRestored(identity: String)
    /// A moderator removes somebody.
    case removed(identity: String, room: String)
    /// The call's room is ended for everybody.
    case roomEnded(String)
    /// The server goes down in order.
    case serverStopped
    /// Everybody's network gets worse: loss in percent and one-way delay.
    case badNetwork(lossPercent: Double, delayMilliseconds: Int)

    /// What a subject can do.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// `networkCut` and `networkRestored`.
        case networkCut
        /// `networkCut` for longer than the provider waits, without making a test wait for minutes.
        case permanentLoss
        /// `removed`.
        case removed
        /// `roomEnded`.
        case roomEnded
        /// `serverStopped`.
        case serverStopped
        /// `badNetwork`.
        case badNetwork
    }
}
