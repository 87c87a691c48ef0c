import CoreFuzzing
import FuzzRandom
import Glibc
import RTCCore

/// Attacks each state of a DTLS association with inputs of its own making, a given number of times: as fast as a release build
/// without sanitizers goes, and the same inputs for the same seed.
@main
enum Main {
    private static let usage = """
        usage: association-campaign EXECUTIONS [SEED [STATE [INDEX]]]
          attacks each state (or STATE, 0...17) EXECUTIONS times; with INDEX runs that one input alone.

        """

    static func main() {
        let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) }
        guard (1...4).contains(numbers.count), let executions = numbers[numbers.startIndex] else {
            print(usage)
            exit(2)
        }
        let given = numbers.compactMap(\.self)
        guard given.count == numbers.count else {
            print(usage)
            exit(2)
        }
        let campaign = Campaign(seed: given.count > 1 ? given[1] : 1)
        let states = given.count > 2 ? [Int(given[2] % 18)] : Array(0..<18)
        if given.count > 3 {
            campaign.run(states[0], index: given[3])
            print("\(campaign.input(states[0], given[3]))")
            return
        }
        campaign.run(states, executions)
    }
}
