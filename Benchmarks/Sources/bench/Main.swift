import Glibc

/// Prints the benchmark table: `bench [ROW ...]`, all rows where none is named.
@main
struct Main {
    private static let rows: [(name: String, run: @Sendable (BenchSettings) async throws -> [Row])] = [
        ("P1", ForwardingRow.run), ("COPY", CopyRow.run), ("P2", ReceivingRow.run), ("P3", MediaRow.run),
        ("P5", JoinRow.run), ("P6", MemoryRow.run), ("P7", GrowthRow.run), ("P8", LatencyRow.run),
        ("P9", SealRow.run), ("Q6", SpeakerRow.run),
    ]
    /// Those that take a moment, and stand for what the others are made of.
    private static let smoke: Set<String> = ["P1", "COPY", "P2", "P8", "P9"]

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "--child": await ChildMain.run(Array(arguments.dropFirst()))
        case "--scene": Scene.run(Array(arguments.dropFirst()))
        case "--smoke": await measure(smoke, .smoke)
        default: await measure(wanted(arguments), BenchSettings())
        }
    }

    private static func wanted(_ arguments: [String]) -> Set<String> {
        let wanted = Set(arguments.map { $0.uppercased() })
        let known = Set(rows.map(\.name))
        guard wanted.isSubset(of: known) else {
            let unknown = wanted.subtracting(known).sorted().joined(separator: ", ")
            report("no row is called \(unknown); there are \(rows.map(\.name).joined(separator: ", "))")
            exit(2)
        }
        return wanted.isEmpty ? known : wanted
    }

    /// Prints the rows, and fails where one could not be measured.
    private static func measure(_ wanted: Set<String>, _ settings: BenchSettings) async {
        var lines: [Row] = []
        var failed = false
        for row in rows where wanted.contains(row.name) {
            report("measuring \(row.name) ...")
            do {
                lines += try await row.run(settings)
            } catch {
                failed = true
                lines.append(Row(id: row.name, what: "not measured: \(error)", ours: ""))
            }
        }
        print(Table.text(lines))
        exit(failed ? 1 : 0)
    }

    /// Progress goes to standard error: the table alone is the output.
    static func report(_ line: String) {
        let text = Array("\(line)\n".utf8)
        _ = write(STDERR_FILENO, text, text.count)
    }
}

/// Why a row can't be measured.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
