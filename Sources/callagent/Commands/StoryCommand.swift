import ArgumentParser
import ScenarioCore

/// `callagent story`: the whole life of a conversation, by clients of this process against a server of this process.
struct StoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story",
        abstract: "Play a whole conversation between a visitor and an agent, and check each step from both sides.",
        discussion: """
            Messages, a sealed push to an application that does not run, a call that is answered on a locked device, authentication, \
            the greeting, a call by the OpenTok-style dialect, the indicator and its drop, a call by LiveKit's protocol, files both \
            ways, a shared screen with a covered area, a missed call, a chat with the service desk; and a journal that keeps its \
            rules. Server, push gateway, media and signalling are real, over sockets of 127.0.0.1; notifications are opened by \
            another process of this program. Nothing is asked of the network beyond this machine.

            What is played stands in Examples/Scenarios/whole-story.yaml; callagent run plays stories of your own.

            With --clients all clients are connected, and all conversations open, before any story goes on; calls, whose media \
            is encoded and decoded in real time, take their turn: so many at once as --calls says, \(StoryLanes.perCore) for each \
            core where it says nothing.

            EXAMPLES
              callagent story
              callagent story --clients 200 --calls 8
              callagent story --json

            EXIT CODES
              0  every step was seen by all whom it concerns, and the journal keeps its rules
              1  something was not seen: step and side are named; or it was interrupted
              2  the command line is wrong
              3  server, carrier or desk can't be started
            """)

    @Option(name: .long, parsing: .unconditional, help: "Stories at once, 1 to 1000: each has a visitor and an agent.")
    var clients = 1

    @Option(
        name: .long, parsing: .unconditional,
        help: "Calls at once, 1 to 1000; the others wait for their turn. Without it what the cores bear.")
    var calls: Int?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "How long a side may take to see something, 1 to 3600 seconds.",
            discussion: "Without it 30, and one more for each story.", valueName: "seconds"))
    var patience: Double?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1_000).contains(clients) else { throw ValidationError("--clients \(clients): use 1 to 1000.") }
        if let calls, !(1...1_000).contains(calls) { throw ValidationError("--calls \(calls): use 1 to 1000.") }
        if let patience, !(1...3_600).contains(patience) {
            throw ValidationError("--patience \(patience): use 1 to 3600 seconds.")
        }
    }

    func run() async throws {
        output.bootstrapLogging()
        try Descriptors.require()
        Interruption.begin()
        let json = output.json
        var plan = try StoryFile.whole()
        plan.clients = clients
        plan.calls = calls
        plan.patienceMs = patience.map { Int($0 * 1_000) }
        var run = StoryRun(plan: plan)
        run.says = { if json { StandardError.line($0) } else { StandardOutput.line($0) } }
        let outcome = try await run.outcome()
        if json { JSONOutput.print(outcome.report) } else { StandardOutput.report(outcome.report.text) }
        let unmet = outcome.verdicts.filter { !$0.isMet }
        for verdict in unmet where !json && outcome.report.isGood {
            StandardOutput.report("failed: \(verdict.text): \(verdict.measured)".printable)
        }
        if !outcome.report.isGood || !unmet.isEmpty { throw ExitCode(ExitStatus.lost.rawValue) }
    }
}
