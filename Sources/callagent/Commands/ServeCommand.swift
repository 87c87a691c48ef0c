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
            """)

    @Option(name: .long, parsing: .unconditional, help: "TCP port for signalling; 0 lets the system choose.")
    var port = 7880

    @Option(name: .long, parsing: .unconditional, help: "The address to listen on.")
    var bind = "127.0.0.1"

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("A PEM certificate to serve wss and https with; needs --tls-key.", valueName: "file"))
    var tlsCertificate: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The certificate's PEM key, without a passphrase.", valueName: "file"))
    var tlsKey: String?

    @OptionGroup var trust: TrustOption

    @Option(name: .long, parsing: .unconditional, help: "The API key that tokens name.")
    var key = "devkey"

    @Option(name: .long, parsing: .unconditional, help: "The API key's secret; tokens are signed with it.")
    var secret: String

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
            valueName: "url[,user,secret]"))
    var iceServers: [String] = []

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

    @OptionGroup var srtp: SRTPOption
    @OptionGroup var journalOption: JournalOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port \(port): use 0 to 65535.") }
        for text in iceServers where ICEServer(argument: text) == nil {
            throw ValidationError(
                "--ice-server \"\(text)\": use a URL, or a URL, a user and a secret with commas between.")
        }
        guard !key.isEmpty, !secret.isEmpty else { throw ValidationError("--key and --secret must not be empty.") }
        for (option, seconds) in [("--empty-timeout", emptyTimeout), ("--departure-timeout", departureTimeout)]
        where !(1...31_536_000).contains(seconds) {
            throw ValidationError("\(option) \(seconds): use 1 to 31536000 seconds.")
        }
        guard (0.1...3_600).contains(ringTimeout) else {
            throw ValidationError("--ring-timeout \(ringTimeout): use 0.1 to 3600 seconds.")
        }
        if (tlsCertificate == nil) != (tlsKey == nil) {
            throw ValidationError("--tls-certificate and --tls-key belong together: give both, or neither.")
        }
        for url in webhook + journalWebhook {
            do { _ = try WebhookURL(url) } catch { throw ValidationError("\(error).") }
        }
    }

    func run() async throws {
        output.bootstrapLogging()
        let file = config.map(ServiceConfigurationFile.init)
        let service = try file?.read() ?? ServiceConfiguration()
        var configuration = CallServerConfiguration(keys: service.keys.merging([key: secret]) { $1 })
        configuration.service = service
        configuration.host = bind
        configuration.port = port
        configuration.ringing.timing.ring = Int64(ringTimeout * 1_000)
        if let tlsCertificate, let tlsKey { configuration.tls = .init(certificate: tlsCertificate, key: tlsKey) }
        configuration.trustedRoots = trust.caFile
        configuration.webhooks = webhook
        configuration.journalWebhooks = journalWebhook
        configuration.emptyTimeout = emptyTimeout
        configuration.departureTimeout = departureTimeout
        configuration.allowsRemoteUnmute = allowRemoteUnmute
        configuration.iceServers = iceServers.compactMap(ICEServer.init(argument:))
        configuration.autoCreatesRooms = !refusesUnknownRooms
        configuration.srtpBackend = srtp.srtp.backend
        configuration.srtpProfiles = srtp.profiles.map(\.profile)
        let journal = try journalOption.path.map { _ in try journalOption.open(keeps: false) }
        configuration.journal = journal
        let server = CallServer(configuration: configuration)
        do {
            try await server.start()
        } catch {
            throw ExitStatus.Failure(status: .environment, message: "\(error)")
        }
        let scheme = tlsCertificate == nil ? "ws" : "wss"
        if output.json {
            JSONOutput.print(ServeReport(url: "\(scheme)://\(bind):\(server.port)", port: server.port))
        } else {
            print("listening on \(scheme)://\(bind):\(server.port), API key \(key); interrupt to stop")
        }
        let watch = file?.watch(server)
        await Interruption.wait()
        withExtendedLifetime(watch) {}
        await server.stop()
        if let journal { try Self.conclude(journal.finish()) }
    }

    /// Throws what the journal of a server's time lacks.
    private static func conclude(_ journal: CallJournal.Summary) throws {
        guard journal.violations.isEmpty else {
            throw ExitStatus.Failure(
                status: .lost, message: "the journal breaks rules:\n  " + journal.violations.joined(separator: "\n  "))
        }
        if let failure = journal.failure { throw ExitStatus.Failure(status: .environment, message: failure) }
    }
}

extension ICEServer {
    /// `URL` or `URL,USER,SECRET`; the secret may have commas.
    init?(argument: String) {
        let parts = argument.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count != 2, !parts[0].isEmpty else { return nil }
        self.init(
            urls: [parts[0]], username: parts.count == 3 ? parts[1] : "", credential: parts.count == 3 ? parts[2] : "")
    }
}

/// What `serve --json` prints once it listens.
private struct ServeReport: Encodable {
    var url: String
    var port: Int
}
