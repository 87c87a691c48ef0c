import ArgumentParser

/// `callagent budget`: what a call, a conversation and the program itself cost, beside what they may.
struct BudgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "budget",
        abstract: "Measure size, memory, processor time and bytes of real calls, and hold them against their budget.",
        discussion: """
            A call of several through a server of this process, a call through a narrow network, messages and a shared screen: each \
            figure stands beside the limit that it has to keep, see docs/command-line.md. Memory is what the process has for itself; \
            it holds the server and all participants. A debug build's size and processor time are not judged.

            EXAMPLES
              callagent budget
              callagent budget --participants 4 --picture 1280x720@30 --json
              callagent budget --limit cpu=12 --limit participant-memory=30

            EXIT CODES
              0  everything is within its limit
              1  something is not, or a call did not come about; it is named
              2  the command line is wrong
              3  no server can be started here
            """)

    @Option(name: .long, parsing: .unconditional, help: "How many are in the call, 2 to 20.")
    var participants = 3

    @Option(name: .long, parsing: .unconditional, help: "Seconds that the call is counted for, 2 to 3600.")
    var duration = 10.0

    @Option(name: .long, parsing: .unconditional, help: "The test card's size and rate, WxH@FPS.")
    var picture = PictureFormat(argument: "640x360@30")!

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Another limit for a row, by its name; may be given more than once.", valueName: "row=number"))
    var limit: [String] = []

    @OptionGroup var srtp: SRTPOption
    @OptionGroup var plane: MediaPlaneOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (2...20).contains(participants) else {
            throw ValidationError("--participants \(participants): a call has 2 to 20.")
        }
        guard (2...3_600).contains(duration) else {
            throw ValidationError("--duration \(duration): use 2 to 3600 seconds.")
        }
        _ = try limits()
    }

    /// By the rows' names. Throws `ValidationError`.
    func limits() throws -> [String: Double] {
        var limits: [String: Double] = [:]
        for text in limit {
            let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard halves.count == 2, let number = Double(halves[1]), number.isFinite, number >= 0 else {
                throw ValidationError("--limit \(text): write a row's name and a number, for example cpu=12.")
            }
            guard BudgetFigures.names.contains(halves[0]) else {
                throw ValidationError(
                    "--limit \(text): there is no such row; use \(BudgetFigures.names.joined(separator: ", ")).")
            }
            limits[halves[0]] = number
        }
        return limits
    }

    private static var isDebug: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    func run() async throws {
        output.bootstrapLogging()
        try Descriptors.require()
        Interruption.begin()
        let progress = Progress(isQuiet: output.json)
        var run = BudgetRun(srtp: srtp, plane: plane)
        (run.participants, run.picture, run.seconds) = (participants, picture, duration)
        run.says = { progress.show($0) }
        let measured = try await Interruption.unless { [run] in try await Self.named { try await run.run() } }
        progress.end()
        guard let figures = measured else {
            throw ExitStatus.Failure(status: .lost, message: "interrupted: nothing is known of what was not measured")
        }
        let report = BudgetReport(
            figures.rows(isDebug: Self.isDebug, limits: try limits()), participants: participants, seconds: duration,
            isDebug: Self.isDebug)
        if output.json { JSONOutput.print(report) } else { StandardOutput.report(report.text) }
        if !report.ok { throw ExitCode(ExitStatus.lost.rawValue) }
    }

    /// What somebody has not seen is something that did not come about.
    private static func named<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let failure as StoryFailure {
            throw ExitStatus.Failure(status: .lost, message: failure.description)
        }
    }
}
