import ArgumentParser
import Foundation
import LoadResults

/// `callagent load merge`: one file of the parts of a run.
struct LoadMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge the results of a run whose participants were on several machines.",
        discussion: """
            Counts and histograms are exact sums: percentiles are those that one tester would have measured. Seconds are put \
            together by the machines' clocks. Thresholds of the parts are judged anew of the sum.

            EXAMPLES
              callagent load merge shard-0.json shard-1.json -o results.json

            EXIT CODES
              0  it is written
              2  the command line is wrong, or the files don't belong together; the file is named
              3  a file can't be read or written
            """)

    @Argument(help: "The results of each part.")
    var parts: [String]

    @Option(name: [.customShort("o"), .long], help: "The file to write; without it standard output.")
    var output: String?

    func validate() throws {
        guard parts.count > 1 else { throw ValidationError("Name the results of two parts or more.") }
    }

    func run() throws {
        let read = try parts.map { (name: $0, results: try ResultsOnDisk.read($0)) }
        let merged: LoadResults
        do throws(MergeError) {
            merged = try LoadResults.merge(read)
        } catch {
            throw ExitStatus.Failure(status: .usage, message: "\(error)")
        }
        guard let output else { return JSONOutput.print(merged) }
        try ResultsOnDisk.write(merged, to: output)
    }
}
