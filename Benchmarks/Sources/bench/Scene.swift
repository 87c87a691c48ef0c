import Glibc
import RTCCore
import RTCWire

/// One contestant of P1 or P2 alone, for a profiler: `bench --scene NAME SECONDS`. `Benchmarks/profile` reads what it prints.
enum Scene: String, CaseIterable {
    case forward
    case forwardGSO = "forward-gso"
    case forwardFloor = "forward-floor"
    case receive
    case receiveFloor = "receive-floor"

    private static let count = 200
    private static let profile = SRTPProfile.aeadAES128GCM

    /// Prints the thread's name, the beginning and the end on CLOCK_MONOTONIC in seconds, and microseconds a packet.
    static func run(_ arguments: [String]) -> Never {
        guard arguments.count == 2, let scene = Scene(rawValue: arguments[0]), let seconds = Double(arguments[1]) else {
            Main.report("--scene takes a name (\(allCases.map(\.rawValue).joined(separator: ", "))) and seconds")
            exit(2)
        }
        do {
            let window = try scene.window()
            let start = Instant.now
            let cost = try window(seconds)
            print(scene.thread, start.text, Instant.now.text, cost.fixed(3))
        } catch {
            Main.report("\(scene.rawValue): \(error)")
            exit(1)
        }
        // Not `exit`: its handlers would run beside threads that still encrypt.
        fflush(nil)
        _exit(0)
    }

    /// The thread whose time counts.
    private var thread: String {
        switch self {
        case .forward, .forwardGSO, .receive: "datagrams"
        case .forwardFloor, .receiveFloor: "floor"
        }
    }

    /// Makes everybody ready.
    private func window() throws -> (Double) throws -> Double {
        try OpenFiles.require(Scene.count + 32, for: "a scene of \(Scene.count)")
        switch self {
        case .forward, .forwardGSO:
            return try ForwardingScene(Scene.profile, subscribers: Scene.count, segmentation: self == .forwardGSO)
                .window
        case .forwardFloor: return try FloorRoom(Scene.profile, subscribers: Scene.count).window
        case .receive: return try AgentFleet(Scene.profile, agents: Scene.count).window
        case .receiveFloor: return try FloorFleet(Scene.profile, agents: Scene.count).window
        }
    }
}

extension Instant {
    fileprivate var text: String {
        "\(nanoseconds / 1_000_000_000).\(String(nanoseconds % 1_000_000_000 + 1_000_000_000).dropFirst())"
    }
}
