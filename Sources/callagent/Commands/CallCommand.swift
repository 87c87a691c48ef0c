import ArgumentParser
import CallServer
import Foundation
import MediaCore
import OpenTokSignalling
import ProviderLiveKitLike
import RTCSim

/// `callagent call`: a whole call in this process, measured.
struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Run a call of several headless participants and report what everybody heard and saw.",
        discussion: """
            Everybody speaks in turn and sends a moving test card. Each directed pair is judged: every picture from the first \
            one on, and sound that matches what its sender spoke.

            EXAMPLES
              callagent call
              callagent call --participants 6 --duration 30 --json
              callagent call --server ws://127.0.0.1:7880 --key devkey --secret ...
              callagent call --mute alice
              callagent call --provider fake --duration 60
              callagent call --provider opentok --relayed
              callagent call --provider mixed
              callagent call --network loss=5,delay=20,jitter=5,reorder=1,duplicate=0.5,seed=1
              callagent call --network wifi-good --network-for bob:train

            An interruption ends the call: what was said until then is judged and reported, and the exit code is 1.

            \(ExitStatus.table)
            """)

    @Option(name: .long, parsing: .unconditional, help: "How many take part, 2 to 20.")
    var participants = 4

    @Option(
        name: .long, parsing: .unconditional,
        help: "Seconds of speech, up to 86400 and at least 1.5 for each participant.")
    var duration = 15.0

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The provider that carries the call: livekit, opentok, mixed or fake.",
            discussion: """
                mixed is one room in two dialects: the first one, the third and so on come by livekit, the others by opentok. \
                fake simulates server, network and time: the codecs and packets are real, and the call takes as long as they \
                need. An unknown name is a wrong command line, exit code 2.
                """, valueName: "name"),
        transform: CallCommand.provider)
    var provider = CallProviderName.liveKitLike

    @Flag(name: .long, help: "With --provider opentok: media goes from one to another, past the server.")
    var relayed = false

    @Option(
        name: .long, parsing: .unconditional,
        help: "A separate server's URL instead of the embedded one; needs --key and --secret.")
    var server: String?

    @OptionGroup var apiKey: APIKeyOptions

    @Option(name: .long, parsing: .unconditional, help: "The room to meet in.")
    var room = "call"

    @Option(name: .long, help: "A participant who stays silent and dark; may be given more than once.")
    var mute: [String] = []

    @Option(name: .long, parsing: .unconditional, help: "The test card's size and rate, WxH@FPS.")
    var picture = PictureFormat(argument: "640x360@30")!

    @OptionGroup var codec: VideoCodecOption

    @Flag(name: .long, help: "Use the older signalling mode with two connections.")
    var twoConnections = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A simulated bad network between everybody and the server.", discussion: NetworkArgument.discussion,
            valueName: "network"),
        transform: NetworkArgument.profile)
    var network: NetworkProfile?

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Another network for one participant: 'bob:3g', 'alice:loss=5,delay=20'; may be given more than once.",
            valueName: "who:network"))
    var networkFor: [String] = []

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Hostile datagrams a second, see docs/testing.md.", visibility: .hidden))
    var hostile = 0

    @Option(
        name: .long, parsing: .unconditional,
        help: "Speak this to the second participant, who accepts the call, until the call is heard.")
    var greeting: String?

    @OptionGroup var connectivity: ConnectivityOptions
    @OptionGroup var srtp: SRTPOption
    @OptionGroup var plane: MediaPlaneOption
    @OptionGroup var encryption: EncryptionOption
    @Flag(
        name: .long,
        help: "The first one rings for the others, who answer; nobody connects before somebody has answered.")
    var ring = false

    @Flag(name: .long, help: "Score what is heard beside what was said, see docs/quality.md: `audio.score` in --json.")
    var score = false

    @OptionGroup var stats: StatsOption
    @OptionGroup var journalOption: JournalOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (2...20).contains(participants) else {
            throw ValidationError("--participants \(participants): a call has 2 to 20.")
        }
        let least = 1.5 * Double(participants)
        guard (least...86_400).contains(duration) else {
            throw ValidationError(
                "--duration \(duration): everybody shall speak, so \(participants) participants need \(least) to 86400 seconds."
            )
        }
        if server != nil { _ = try apiKey.required() }
        try codec.check(encryption)
        guard !room.isEmpty else { throw ValidationError("--room must not be empty.") }
        if server != nil, let (option, _) = plane.given.first(where: \.1) {
            throw ValidationError("\(option) is the embedded server's way; leave it out with --server.")
        }
        guard (0...100_000).contains(hostile) else {
            throw ValidationError("--hostile \(hostile): use 0 to 100000 datagrams a second.")
        }
        let names = (0..<participants).map(CallRun.name)
        _ = try ownNetworks()
        if provider == .fake { try validateFake() }
        if provider == .openTokLike { try validateOpenTok() }
        if relayed, provider != .openTokLike { throw ValidationError("--relayed needs --provider opentok.") }
        if let unknown = mute.first(where: { !names.contains($0) }) {
            throw ValidationError("--mute \(unknown): the participants are \(names.joined(separator: ", ")).")
        }
    }

    /// A simulated server has no sockets, and nobody listens in virtual time.
    private func validateFake() throws {
        let given: [(String, Bool)] =
            [
                ("--server", server != nil), ("--two-connections", twoConnections), ("--hostile", hostile > 0),
                ("--greeting", greeting != nil), ("--ring", ring),
                ("--ice-policy and --ice-server", connectivity.isGiven),
            ] + plane.given
        if let (option, _) = given.first(where: \.1) {
            throw ValidationError("\(option) needs a server of sockets; leave it out with --provider fake.")
        }
        guard try !ownNetworks().values.contains(where: { $0.rebind > 0 }), network?.rebind ?? 0 == 0 else {
            throw ValidationError("--network: rebind needs sockets; leave it out with --provider fake.")
        }
    }

    private func validateOpenTok() throws {
        if twoConnections {
            throw ValidationError("--two-connections is LiveKit's; leave it out with --provider opentok.")
        }
        if relayed, network != nil || !networkFor.isEmpty || hostile > 0 {
            throw ValidationError("--network and --hostile stand between a client and the server; leave out --relayed.")
        }
        if relayed, participants > 8 {
            throw ValidationError(
                "--participants \(participants): a relayed session encodes for each receiver; use 2 to 8.")
        }
    }

    /// By name. Throws `ValidationError`.
    private func ownNetworks() throws -> [String: NetworkProfile] {
        let names = (0..<participants).map(CallRun.name)
        var own: [String: NetworkProfile] = [:]
        for text in networkFor {
            let (who, profile) = try NetworkArgument.ofSomebody(text)
            guard names.contains(who) else {
                throw ValidationError(
                    "--network-for \(text): there is no \(who); the participants are \(names.joined(separator: ", ")).")
            }
            own[who] = profile
        }
        return own
    }

    private static func provider(_ text: String) throws -> CallProviderName {
        guard let name = CallProviderName(argument: text) else {
            throw ValidationError("--provider \(text): there is no such provider; use \(CallProviderName.list).")
        }
        return name
    }

    func run() async throws {
        output.bootstrapLogging()
        try Descriptors.require()
        Interruption.begin()
        let journal = try journalOption.open()
        let needsServer = server == nil && provider != .fake
        let embedded = needsServer ? try await EmbeddedServer.start(srtp: srtp, plane: plane) : nil
        let report: RunReport
        do {
            let venue = try await venue(embedded)
            report = try await CallRun(
                settings, at: venue, progress: Progress(isQuiet: output.json), journal: journal,
                stats: try stats.open(clock: venue.clock)
            ).run()
        } catch {
            await embedded?.stop()
            throw error
        }
        await embedded?.stop()
        if output.json { JSONOutput.print(report) } else { StandardOutput.report(SummaryText().call(report)) }
        if !report.ok { throw ExitCode(report.status.rawValue) }
    }

    func venue(_ embedded: EmbeddedServer?) async throws -> any CallVenue {
        switch provider {
        case .fake: return try await FakeVenue(network: network, own: try ownNetworks())
        case .liveKitLike:
            let (key, secret) = try embedded.map { ($0.key, $0.secret) } ?? apiKey.required()
            return LiveKitLikeVenue(
                server: server ?? embedded?.url ?? "", key: key, secret: secret,
                mode: twoConnections ? .twoConnections : .automatic)
        case .openTokLike:
            let (key, secret) = try embedded.map { ($0.key, $0.secret) } ?? apiKey.required()
            return OpenTokLikeVenue(
                server: server ?? embedded?.url ?? "", key: key, secret: secret, mode: relayed ? .relayed : .routed)
        case .mixed:
            let (key, secret) = try embedded.map { ($0.key, $0.secret) } ?? apiKey.required()
            let url = server ?? embedded?.url ?? ""
            return MixedVenue(
                liveKit: LiveKitLikeVenue(
                    server: url, key: key, secret: secret, mode: twoConnections ? .twoConnections : .automatic),
                openTok: OpenTokLikeVenue(server: url, key: key, secret: secret, mode: .routed))
        }
    }

    var settings: CallRun.Settings {
        var settings = CallRun.Settings(connectivity: connectivity, srtp: srtp, encryption: encryption)
        settings.participants = participants
        settings.duration = duration
        settings.room = room
        settings.muted = Set(mute)
        settings.picture = picture
        settings.codec = codec.videoCodec
        settings.greeting = greeting
        settings.rings = ring
        settings.scores = score
        let own = (try? ownNetworks()) ?? [:]
        if provider != .fake, !relayed {
            settings.network = CallNetwork.Settings(profile: network, own: own, hostileRate: hostile)
        } else {
            settings.isImpaired = network != nil || !own.isEmpty
        }
        return settings
    }
}

/// The embedded server on a free port of this machine, with a key of its own.
struct EmbeddedServer {
    let server: CallServer
    let url: String
    let key = "callagent"
    let secret: String

    static func start(srtp: SRTPOption, plane: MediaPlaneOption) async throws -> EmbeddedServer {
        let secret = String((0..<40).map { _ in "0123456789abcdefghijklmnopqrstuvwxyz".randomElement() ?? "x" })
        var configuration = CallServerConfiguration(keys: ["callagent": secret])
        configuration.host = "127.0.0.1"
        configuration.port = 0
        configuration.media.dtlsBackend = srtp.dtls.backend
        configuration.media.srtpBackend = srtp.srtp.backend
        configuration.media.srtpProfiles = srtp.profiles.map(\.profile)
        plane.apply(to: &configuration.media)
        let server = CallServer(configuration: configuration)
        try await server.start()
        return EmbeddedServer(server: server, url: "ws://127.0.0.1:\(server.port)", secret: secret)
    }

    func stop() async { await server.stop() }
}
