import Logging
import NIOCore
import NIOPosix
import RTCCore
import RTCTransport
import Synchronization
import TransportSecurity

/// The threads that media runs on: event loops for sockets and protocols, workers for codecs and sinks, and one for the
/// sound that is sent.
///
/// One engine serves any number of sessions; a test or an application makes one and shuts it down at its end. A session
/// lives on one event loop, a track's codec on one worker, so that neither needs a lock.
public final class MediaEngine: Sendable {
    /// How many threads an engine has.
    public struct Configuration: Sendable, Hashable {
        /// Event loops for sockets, RTP and playout, at least 1.
        public var eventLoops = 1
        /// Worker threads for encoders, decoders and sinks, at least 1.
        public var workers = max(1, System.coreCount)

        /// While many datagrams come, how many milliseconds they may wait on their sockets, so that one wake-up of a loop
        /// serves many; 0, the default, reads each at once, and more than 20 counts as 20. When they came is the
        /// kernel's word, and stays exact. For hundreds of sessions in a process.
        public var receiveModerationMilliseconds = 0

        /// One event loop, one worker per core.
        public init() {}
    }

    /// Empty where the system has refused them, for the reason that stands beside.
    private let loops: [DatagramLoop]
    /// Of each loop.
    private let runners: [JobRunner]
    private let refusal: String?
    private let turn = Atomic<Int>(0)
    /// What concerns no call in particular: servers that give no candidates.
    let logger = Logger(label: "callbridge.media")
    private let workers: MultiThreadedEventLoopGroup
    /// Sound that is sent comes from a thread of its own: it is due every 20 ms, and neither pictures nor sinks may hold
    /// it up.
    private let audio = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    /// A session has a socket of its own, on which few datagrams wait at a time.
    private static let batch = 16
    private let isShutDown = Atomic<Bool>(false)
    /// The memory of pictures on their way in: those of many sessions come in turn, and few at a time.
    let pictures = VideoFramePool(limit: 2 * 1_024 * 1_024)
    /// Has its sessions follow what addresses this machine has.
    let addresses = AddressFollower()
    private let sharedCertificate = Mutex<DTLSCertificate?>(nil)

    /// Starts the threads.
    public init(configuration: Configuration = .init()) {
        var loops: [DatagramLoop] = []
        var refusal: String?
        do {
            for index in 0..<max(1, configuration.eventLoops) {
                loops.append(
                    try DatagramLoop(
                        name: "media-\(index)", batch: Self.batch,
                        moderation: .milliseconds(min(max(0, configuration.receiveModerationMilliseconds), 20))))
            }
        } catch {
            refusal = SocketFault.words(error)
        }
        let workers = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.workers))
        let (sound, pictures) = (audio.next(), Array(workers.makeIterator()))
        self.loops = loops
        self.refusal = refusal
        self.workers = workers
        runners = loops.map { JobRunner(loop: $0, sound: sound, workers: pictures) }
    }

    /// Stops the threads. Sessions must have been closed; a second call does nothing.
    public func shutdown() async {
        guard isShutDown.exchange(true, ordering: .acquiringAndReleasing) == false else { return }
        try? await audio.shutdownGracefully()
        try? await workers.shutdownGracefully()
        for loop in loops { try? await loop.shutdownGracefully() }
    }

    /// The threads are going: nothing can be handed to them any more.
    var isStopped: Bool { isShutDown.load(ordering: .acquiring) }

    /// Where a session lives.
    struct Place: Sendable {
        let loop: DatagramLoop
        /// Who does its jobs.
        let runner: JobRunner
        /// How many there were before it.
        let number: Int
    }

    /// The place of a new session.
    func nextPlace() throws(MediaError) -> Place {
        guard !loops.isEmpty else {
            throw MediaError(
                .environment, "event loops", refusal ?? "none", remedy: "raise the limits of open files and threads")
        }
        let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return Place(loop: loops[number % loops.count], runner: runners[number % loops.count], number: number)
    }

    /// What all sessions show their peers, as the connections of one page of a browser may: making one takes longer than
    /// the rest of a join. Made for the first.
    func certificate() throws(CryptoError) -> DTLSCertificate {
        try sharedCertificate.withLock { certificate throws(CryptoError) in
            if let certificate { return certificate }
            let new = try DTLSCertificate.generate()
            certificate = new
            return new
        }
    }

    /// Begins to measure, on each loop of media, how late a timer of 10 ms runs beside whatever else the loop does.
    package func probeLoops() -> [WakeProbe] { loops.map { WakeProbe(on: $0) } }

    /// The worker for what is no session's: a player of sound.
    func nextWorker() -> any EventLoop { workers.next() }
}
