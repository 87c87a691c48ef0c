import ArgumentParser
import CallBridge

/// `callagent decline`: waits until it rings, and declines.
struct DeclineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline",
        abstract: "Wait at a call server until it rings, and decline.",
        discussion: """
            EXAMPLES
              callagent decline --server http://127.0.0.1:7880 --key devkey --secret ... --identity bob --after 1

            \(RingOptions.exitCodes("it rang and was declined here"))
            """)

    @Option(name: .long, parsing: .unconditional, help: "Seconds to let it ring.")
    var after = 0.0

    @Option(name: .long, parsing: .unconditional, help: "Seconds to wait for a call; without it for ever.")
    var timeout: Double?

    @OptionGroup var ring: RingOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        for (name, value) in [("--after", after), ("--timeout", timeout ?? 0)] where !(0...86_400).contains(value) {
            throw ValidationError("\(name) \(value): use 0 to 86400 seconds.")
        }
    }

    func run() async throws {
        output.bootstrapLogging()
        try Descriptors.require()
        Interruption.begin()
        let run = try RingRun(
            ring, presenter: TalkingPresenter(.init(.decline, afterMilliseconds: Int64(after * 1000))))
        try await run.start()
        run.announce()
        let report = await run.wait(timeout: timeout)
        try RingRun.finish(report, json: output.json, expected: "DECLINED")
    }
}
