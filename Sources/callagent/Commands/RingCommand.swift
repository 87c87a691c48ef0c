import ArgumentParser
import CallBridge
import Foundation
import ProviderLiveKitLike

/// `callagent ring`: places a call at a server, and joins it when somebody answers.
struct RingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ring",
        abstract: "Ring for people at a call server, and join the call when somebody answers.",
        discussion: """
            EXAMPLES
              callagent ring --server http://127.0.0.1:7880 --key devkey --secret ... --identity ada --to bob
              callagent ring ... --to bob,carol --to dave --tone 440 --duration 10 --json
              callagent ring ... --to bob --video --test-card 640x360@30 --say "Good morning" --record out --indicator

            Each --to is a group: the first one that answers gets the call; where nobody does, the next group is rung.

            \(RingOptions.exitCodes("the call was answered and connected"))
            """)

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: "People to ring for, separated by commas; once for each group.")
    var to: [String] = []

    @Option(name: .long, parsing: .unconditional, help: "The conversation that the call belongs to.")
    var conversation = "call"

    @Option(
        name: .long, parsing: .unconditional,
        help: "People of whom one must be in the call, or it ends, separated by commas; without it everybody counts.")
    var mandatory: String?

    @Flag(
        name: .long,
        help: "Place a call with pictures instead of one of sound; without --test-card or --y4m a test card is sent.")
    var video = false

    @OptionGroup var ring: RingOptions
    @OptionGroup var media: RingMediaOptions
    @OptionGroup var output: OutputOptions

    private var groups: [[String]] { to.map { $0.split(separator: ",").map(String.init) } }

    func validate() throws {
        guard !groups.isEmpty, groups.allSatisfy({ !$0.isEmpty }) else {
            throw ValidationError("--to is needed, with one name or more: --to bob,carol")
        }
    }

    func run() async throws {
        output.bootstrapLogging()
        try Descriptors.require()
        Interruption.begin()
        let media = try media.open(wantsPicture: video) { StandardError.line($0.printable) }
        let run = try RingRun(ring, media: media, presenter: NoRingPresenter())
        try await run.start()
        let request = RingRequest(
            conversationId: conversation, callType: video ? .video : .audio, callerName: ring.identity, groups: groups,
            mandatory: mandatory.map { $0.split(separator: ",").map(String.init) } ?? [])
        let report = try await run.place(request)
        try RingRun.finish(report, json: output.json, expected: "CONNECTED")
    }
}

/// What `ring`, `answer` and `decline` have in common.
struct RingOptions: ParsableArguments {
    /// The codes for the help texts.
    ///
    /// - Parameter success: what 0 means.
    static func exitCodes(_ success: String) -> String {
        """
        EXIT CODES
          0  \(success)
          1  it did not come to that: the outcome is named
          2  the command line is wrong
          3  the server does not answer or refuses us
          \(ExitStatus.ended)

        An interruption while it rings is reported as the outcome; in a call it hangs up.
        """
    }

    @Option(
        name: .long, parsing: .unconditional,
        help: "The call server's URL, http://host:port or https://host; without it that of LIVEKIT_URL.")
    var server: String?

    @OptionGroup var apiKey: APIKeyOptions

    @Option(name: .long, parsing: .unconditional, help: "Who we are.")
    var identity: String

    @Option(name: .long, parsing: .unconditional, help: "Which device of ours this is.")
    var device = "callagent"

    @Option(name: .long, parsing: .unconditional, help: "Seconds to stay in the call once it is connected.")
    var duration = 5.0

    @OptionGroup var trust: ClientTrustOptions

    /// Where the exchange is, and how we identify ourselves to it. Throws `ValidationError`.
    func service() throws -> (server: String, credentials: ServiceCredentials) {
        let server = try ServerURL.service(server)
        let (key, secret) = try apiKey.required()
        return (server, .apiKey(key, secret: secret))
    }

    func validate() throws {
        _ = try service()
        for (option, value) in [("--identity", identity), ("--device", device)] where value.isEmpty {
            throw ValidationError("\(option) must not be empty.")
        }
        guard (0...604_800).contains(duration) else {
            throw ValidationError("--duration \(duration): use 0 to 604800 seconds.")
        }
    }
}
