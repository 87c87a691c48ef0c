import Foundation
import Synchronization

/// So many at a time, the others in the order in which they came.
actor StoryGate {
    /// The most that there were at a time.
    private(set) var most = 0
    private var free: Int
    private var inside = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func pass<Value: Sendable>(_ body: @Sendable () async throws -> Value) async rethrows -> Value {
        await enter()
        defer { leave() }
        return try await body()
    }

    /// Returns when there is room; who has entered has to leave.
    func enter() async {
        if free > 0 {
            free -= 1
            inside += 1
            most = max(most, inside)
        } else {
            // Who leaves hands the room on.
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        free += 1
        inside -= 1
    }
}

/// Where all stories wait for one another: nobody goes on before everybody has come, or has gone for good.
actor StoryGathering {
    /// Those who were there together.
    private(set) var together = 0
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { missing = count }

    /// Returns when nobody is missing any more.
    func arrive() async {
        missing -= 1
        together += 1
        if missing == 0 { return open() }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// One of them won't come.
    func miss() {
        missing -= 1
        if missing == 0 { open() }
    }

    private func open() {
        for other in waiting { other.resume() }
        waiting = []
    }
}

/// How many calls this machine bears at once: each has two encoders and two decoders of pictures and of sound, and both ends of
/// all DTLS and SRTP.
enum StoryLanes {
    static let perCore = 4

    static var usual: Int { max(2, ProcessInfo.processInfo.activeProcessorCount * perCore) }
}
