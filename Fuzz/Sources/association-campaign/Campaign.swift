import CAllocations
import CoreFuzzing
import FuzzRandom
import Glibc
import RTCCore

/// Many attacks on each state, and what they took at most. After 4 of 256 attacks on a handshake of which something was
/// heard, and after 1 of 256 of the others, the genuine peer goes on; FUZZ_CONTINUED says another share for both.
final class Campaign {
    /// Each state in turn gets so many, so that a campaign that is ended early has attacked all alike.
    private static let round: UInt64 = 100_000
    /// Heap beyond that at the start that no state may hold after an attack, in bytes, and processor time of one, in ns.
    private static let heapLimit = 16 << 20
    private static let timeLimit: UInt64 = 2_000_000_000

    private let seed: UInt64
    private let fuzzing: HandshakeStateFuzzing
    private var longest = [UInt64](repeating: 0, count: 18)
    private let heapAtStart: Int

    init(seed: UInt64) {
        self.seed = seed
        RepeatableRandom.install()
        RepeatableRandom.restart()
        guard let client = try? DTLSCertificate.generate(), let server = try? DTLSCertificate.generate() else {
            preconditionFailure("no certificates")
        }
        let share = getenv("FUZZ_CONTINUED").flatMap { Int(String(cString: $0)) }
        fuzzing = HandshakeStateFuzzing(
            (client, server), continuationShare: share ?? 1, heardShare: share ?? 4)
        heapAtStart = Campaign.heap
        CrashReport.install(seed: seed)
    }

    func run(_ states: [Int], _ executions: UInt64) {
        let start = Campaign.processorTime
        var done: UInt64 = 0
        while done < executions {
            let end = min(done + Campaign.round, executions)
            for state in states {
                for index in done..<end { run(state, index: index) }
                precondition(Campaign.heap - heapAtStart < Campaign.heapLimit, "the heap grows")
            }
            done = end
            report(states, done, Campaign.processorTime - start)
        }
    }

    func run(_ state: Int, index: UInt64) {
        CrashReport.note(state, index)
        let input = input(state, index)
        RepeatableRandom.restart()
        let start = Campaign.processorTime
        input.withUnsafeBytes { fuzzing.run($0) }
        let taken = Campaign.processorTime - start
        longest[state] = max(longest[state], taken)
        precondition(taken < Campaign.timeLimit, "an input took \(taken) ns")
    }

    /// State, cipher suite, and commands: for most inputs one or two of them.
    func input(_ state: Int, _ index: UInt64) -> [UInt8] {
        var random = SplitMix(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ UInt64(state) << 56 &+ index)
        let shape = random.next()
        let length = shape & 3 == 0 ? 8 + Int(shape >> 8 % 120) : 6 + Int(shape >> 8 % 14)
        var input = [UInt8(state), UInt8(truncatingIfNeeded: shape >> 24)]
        input.reserveCapacity(length + 8)
        while input.count < length {
            let word = random.next()
            for shift in stride(from: 0, to: 64, by: 8) { input.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return input
    }

    private func report(_ states: [Int], _ done: UInt64, _ taken: UInt64) {
        let lines = fuzzing.summary.split(separator: "\n")
        print(
            "seed \(seed), \(done) a state, \(taken / 1_000_000_000) s of processor time, \(Campaign.heap >> 10) KiB heap"
        )
        for state in states { print("\(state): \(lines[state]); longest \(longest[state] / 1000) us") }
        fflush(nil)
    }

    private static var heap: Int { heap_in_use() }

    private static var processorTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// SplitMix64: any seed gives a good sequence at once.
struct SplitMix {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}
