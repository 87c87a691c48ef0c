import ArgumentParser
import CallBridge
import Foundation

/// `callagent answer`: waits until it rings, answers, and joins the call.
struct AnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Wait at a call server until it rings, answer, and join the call.",
        discussion: """
            EXAMPLES
              callagent answer --server http://127.0.0.1:7880 --key devkey --secret ... --identity bob
              callagent answer ... --after 2 --locked-for 3 --tone 660 --duration 10 --json

            \(RingOptions.exitCodes("it rang, was answered here and connected"))
            """)

    @Option(name: .long, parsing: .unconditional, help: "Seconds to let it ring.")
    var after = 0.0

    @Option(
        name: .long, parsing: .unconditional,
        help: "The device is locked for so many seconds: an answer waits for the client until then.")
    var lockedFor: Double?

    @Option(name: .long, parsing: .unconditional, help: "Seconds to wait for a call; without it for ever.")
    var timeout: Double?

    @OptionGroup var ring: RingOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        for (name, value) in [("--after", after), ("--locked-for", lockedFor ?? 0), ("--timeout", timeout ?? 0)]
        where !(0...86_400).contains(value) {
            throw ValidationError("\(name) \(value): use 0 to 86400 seconds.")
        }
    }

    func run() async throws {
        output.bootstrapLogging()
        let presenter = TalkingPresenter(.init(.answer, afterMilliseconds: Int64(after * 1000)))
        Interruption.begin()
        let run = try RingRun(ring, presenter: presenter, gate: AnswerGate(isLocked: lockedFor != nil))
        try await run.start()
        if let lockedFor {
            Task {
                try await Task.sleep(for: .seconds(lockedFor))
                await run.deviceChanged(AnswerGate())
            }
        }
        run.announce()
        let report = await run.wait(timeout: timeout)
        try RingRun.finish(report, json: output.json, expected: "CONNECTED")
    }
}

/// Says on standard error what rings, and does what it was made for.
struct TalkingPresenter: RingPresenter {
    private let console = ConsoleRingPresenter { StandardError.line($0) }
    private let script: ScriptedRingPresenter

    init(_ step: ScriptedRingPresenter.Step) { script = ScriptedRingPresenter([step]) }

    func present(_ offer: RingOffer, decide: @escaping @Sendable (RingDecision) async -> Void) async {
        await console.present(offer) { _ in }
        await script.present(offer, decide: decide)
    }

    func waiting(_ offer: RingOffer, for reason: String) async { await console.waiting(offer, for: reason) }
    func requestActivation(_ offer: RingOffer) async { await console.requestActivation(offer) }
    func dismiss(_ offer: RingOffer) async { await console.dismiss(offer) }
}
