import ArgumentParser
import CallModel
import CallServer
import Foundation
import MediaCore

/// `callagent serve`: the embedded call server by itself.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the call server until it is interrupted.",
        discussion: """
            It speaks LiveKit's protocol; LiveKit's clients can join it. It is meant for tests, development and small rooms.

            EXAMPLES
              callagent serve --key devkey --secret a-secret-of-32-characters-or-more
              callagent serve --port 7880 --bind 192.0.2.10 --key devkey --secret ...
              callagent serve --bind 0.0.0.0 --tls-certificate server.pem --tls-key server.key --secret ...
              callagent serve --key devkey --secret ... --webhook http://127.0.0.1:8080/hooks
              callagent serve --secret ... --ice-server turn:192.0.2.9:3478,user,password
              callagent serve --key devkey --secret ... --config calls.json    (kill -HUP reads it again)
              callagent serve --secret-file secret.txt
              callagent serve --key devkey --secret ... --archives /var/lib/archives
              callagent serve --key devkey --secret ... --data /var/lib/callbridge    (conversations outlive the server)
              callagent serve --key devkey --secret ... --dashboard    (then http://127.0.0.1:7880/dashboard and /join)

            An interruption is its ordinary end: exit code 0 where the journal, if any, keeps its rules.

            \(ExitStatus.table)
            """)

    @Option(name: .long, parsing: .unconditional, help: "TCP port for signalling; 0 lets the system choose.")
    var port = 7880

    @Option(name: .long, parsing: .unconditional, help: "The address to listen on.")
    var bind = "127.0.0.1"

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The TCP port for media of clients whose network blocks UDP (ICE-TCP); 0 lets the system choose, off has none.",
            discussion: "LiveKit's server has 7881; a port that a firewall is to open has to be chosen.",
            valueName: "port|off"))
    var tcpPort = MediaTCPPort.port(0)

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("A PEM certificate to serve wss and https with; needs --tls-key.", valueName: "file"))
    var tlsCertificate: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The certificate's PEM key, without a passphrase.", valueName: "file"))
    var tlsKey: String?

    @OptionGroup var trust: TrustOption

    /// The key is devkey where none is given.
    @OptionGroup var apiKey: APIKeyOptions

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "An http or https URL that is told of rooms, participants and tracks, signed with the API key; may be repeated.",
            valueName: "url"))
    var webhook: [String] = []

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: "An http or https URL that gets the call journal, event by event; may be given more than once.")
    var journalWebhook: [String] = []

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "An http or https URL that is told of OpenTok sessions, connections and streams; may be repeated.",
            valueName: "url"))
    var sessionCallback: [String] = []

    @Option(
        name: .long, parsing: .unconditional,
        help: "Seconds that a room stays open while nobody has come, where its creator says nothing else.")
    var emptyTimeout = 300

    @Option(
        name: .long, parsing: .unconditional,
        help: "Seconds that a room stays open after the last one has left, where its creator says nothing else.")
    var departureTimeout = 20

    @Flag(name: .long, help: "Let the room API unmute tracks; without it that is refused with 412.")
    var allowRemoteUnmute = false

    @Option(
        name: .customLong("ice-server"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A STUN or TURN server that clients are told to use; repeatable. TURN needs a user and a secret.",
            discussion: "A secret @FILE is read from a file; without one CALLBRIDGE_TURN_CREDENTIAL gives it.",
            valueName: "url[,user,secret]"))
    var iceServers: [String] = []

    @OptionGroup var turn: TURNOptions

    @Option(name: .long, parsing: .unconditional, help: "Seconds that a call rings for each group.")
    var ringTimeout = 30.0

    @Flag(name: .customLong("no-auto-create"), help: "Refuse to join rooms that have not been created before.")
    var refusesUnknownRooms = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "A JSON file that says which provider carries which calls, see docs/configuration.md; SIGHUP reads it again.",
            valueName: "file"))
    var config: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Record OpenTok sessions there when the REST API asks for it; without it archive requests are refused.",
            discussion: "Each archive has a folder, KEY/ID. With TLS the recorder believes what --ca-file says.",
            valueName: "folder"))
    var archives: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Keep conversations and files there; without it conversations are gone with the server, and there are no files.",
            valueName: "folder"))
    var data: String?

    @OptionGroup var push: PushOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Answer GET /metrics for Prometheus on a port of its own, of 127.0.0.1 where no address is given.",
            valueName: "[address:]port"))
    var metrics: MetricsAddress?

    @OptionGroup var watching: WatchingOptions
    @OptionGroup var srtp: SRTPOption
    @OptionGroup var plane: MediaPlaneOption
    @OptionGroup var journalOption: JournalOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port \(port): use 0 to 65535.") }
        for text in iceServers { _ = try ICEServerArgument(text) }
        _ = try apiKey.required(defaultKey: Self.defaultKey)
        for (option, seconds) in [("--empty-timeout", emptyTimeout), ("--departure-timeout", departureTimeout)]
        where !(1...31_536_000).contains(seconds) {
            throw ValidationError("\(option) \(seconds): use 1 to 31536000 seconds.")
        }
        guard (0.1...3_600).contains(ringTimeout) else {
            throw ValidationError("--ring-timeout \(ringTimeout): use 0.1 to 3600 seconds.")
        }
        try watching.check()
        try push.check()
        guard data?.isEmpty != true else { throw ValidationError("--data must not be empty.") }
        guard archives?.isEmpty != true else { throw ValidationError("--archives must not be empty.") }
        if (tlsCertificate == nil) != (tlsKey == nil) {
            throw ValidationError("--tls-certificate and --tls-key belong together: give both, or neither.")
        }
        for url in webhook + journalWebhook + sessionCallback {
            do { _ = try WebhookURL(url) } catch { throw ValidationError("\(error).") }
        }
    }

    private static let defaultKey = "devkey"

    func run() async throws {
        output.bootstrapLogging()
        try Descriptors.require()
        Interruption.begin(watchesOutput: false)
        let file = config.map(ServiceConfigurationFile.init)
        var configuration = try configuration(file)
        let journal = try journalOption.path.map { _ in try journalOption.open(keeps: false) }
        configuration.journal = journal
        let recorders = SessionRecorders(trust: trust.trust, dtls: srtp.dtls, srtp: srtp.srtp)
        let archives = self.archives.map { ServerArchives(directory: $0, recorders: recorders) }
        try archives?.prepare()
        configuration.archiver = archives
        let server = CallServer(configuration: configuration)
        file?.watch(server)
        try await server.start()
        if tlsCertificate == nil { recorders.reach("http://\(Self.ownHost(bind)):\(server.port)") }
        let endpoint: MetricsEndpoint?
        do { endpoint = try await ServerMetrics(server).listen(metrics) } catch {
            await server.stop()
            throw error
        }
        announce(server.port, metrics: endpoint)
        var parts = ServedParts()
        parts.add("server") { await server.stop() }
        parts.add("metrics") { await endpoint?.close() }
        parts.add("archives") { await archives?.finish() }
        try await parts.run()
        if let journal { try Self.conclude(journal.finish()) }
    }

    /// How this machine reaches what it listens on.
    static func ownHost(_ bind: String) -> String {
        switch bind {
        case "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        default: bind.contains(":") ? "[\(bind)]" : bind
        }
    }

    /// Throws what the journal of a server's time lacks.
    private static func conclude(_ journal: CallJournal.Summary) throws {
        guard journal.violations.isEmpty else {
            throw ExitStatus.Failure(
                status: .lost, message: "the journal breaks rules:", details: journal.violations)
        }
        if let failure = journal.failure { throw ExitStatus.Failure(status: .environment, message: failure) }
    }

    /// The line that says that the server can be used.
    private func announce(_ port: Int, metrics endpoint: MetricsEndpoint?) {
        let host = bind.contains(":") ? "[\(bind)]" : bind
        let url = "\(tlsCertificate == nil ? "ws" : "wss")://\(host):\(port)"
        let metricsURL = endpoint.flatMap { metrics?.url(port: $0.port) }
        if output.json { return JSONOutput.print(ServeReport(url: url, port: port, metrics: metricsURL)) }
        let key = (try? apiKey.resolve().key) ?? Self.defaultKey
        StandardOutput.line("listening on \(url), API key \(key.printable); interrupt to stop")
        if watching.dashboard {
            let page = url.replacing("ws", with: "http", maxReplacements: 1)
            StandardOutput.line("dashboard on \(page)/dashboard, join page on \(page)/join")
        }
        if let metricsURL { StandardOutput.line("metrics on \(metricsURL)") }
    }

    private func configuration(_ file: ServiceConfigurationFile?) throws -> CallServerConfiguration {
        let service = try file?.read() ?? ServiceConfiguration()
        let (key, secret) = try apiKey.required(defaultKey: Self.defaultKey)
        var configuration = CallServerConfiguration(keys: service.keys.merging([key: secret]) { $1 })
        configuration.service = service
        configuration.host = bind
        configuration.port = port
        configuration.ringing.timing.ring = Int64(ringTimeout * 1_000)
        if let tlsCertificate, let tlsKey { configuration.tls = .init(certificate: tlsCertificate, key: tlsKey) }
        configuration.webhooks.trustedRoots = trust.caFile
        configuration.webhooks.rooms = webhook
        configuration.webhooks.journal = journalWebhook
        configuration.webhooks.sessions = sessionCallback
        configuration.rooms.emptyTimeout = emptyTimeout
        configuration.rooms.departureTimeout = departureTimeout
        configuration.rooms.allowsRemoteUnmute = allowRemoteUnmute
        configuration.media.tcpPort = tcpPort.number
        configuration.media.iceServers = try iceServers.map { try ICEServerArgument($0).server } + turn.servers()
        configuration.rooms.autoCreates = !refusesUnknownRooms
        configuration.media.dtlsBackend = srtp.dtls.backend
        configuration.media.srtpBackend = srtp.srtp.backend
        configuration.media.srtpProfiles = srtp.profiles.map(\.profile)
        plane.apply(to: &configuration.media)
        configuration.watching = watching.settings
        configuration.conversations.directory = data
        configuration.push = push.settings
        return configuration
    }
}

/// What `serve --json` prints once it listens.
private struct ServeReport: Encodable {
    var url: String
    var port: Int
    /// Where Prometheus collects, with --metrics.
    var metrics: String?
}
