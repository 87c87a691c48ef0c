import ArgumentParser
import CallModel
import Foundation
import ServiceDesk

/// `callagent chat-server`: the reference service desk, and what an application has beside one.
struct ChatServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat-server",
        abstract: "Run a service desk for chats; listen for its webhooks; check an authorization service.",
        subcommands: [ServeDesk.self, Webhooks.self, Check.self], defaultSubcommand: ServeDesk.self)

    /// `callagent chat-server run`, which is meant where nothing is said.
    struct ServeDesk: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Keep tickets and comments in memory until interrupted; answer from standard input.",
            discussion: """
                A line of standard input answers a ticket: its number and the text, or /attach, the number and a file. It is meant \
                for tests and development: everything is gone with the process.

                EXAMPLES
                  callagent chat-server --app shop
                  callagent chat-server --app shop --auto-reply "We are on it." --webhook http://127.0.0.1:8081/
                  callagent chat-server --app shop --users users.json      (users.json: {"ada": "ada's security key"})
                  callagent chat-server --app shop --authorization https://shop.example/authorize

                EXIT CODES
                  0  it was interrupted
                  2  the command line is wrong, or a file that it names can't be used
                  3  the port or address can't be had
                """)

        @Option(name: .long, parsing: .unconditional, help: "TCP port; 0 lets the system choose.")
        var port = 7890

        @Option(name: .long, parsing: .unconditional, help: "The address to listen on.")
        var bind = "127.0.0.1"

        @Option(
            name: .long, parsing: .unconditionalSingleValue,
            help: "Serve this application alone; may be given more than once. Without it all.")
        var app: [String] = []

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp(
                "A JSON object of user ids and security keys: these users are let in, and POST /authorize answers for them.",
                discussion: "Needs --app.", valueName: "file"))
        var users: String?

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp(
                "The application's authorization service, asked before each request of a user.", valueName: "url"))
        var authorization: String?

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("Told of each message of the support.", valueName: "url"))
        var webhook: String?

        @OptionGroup var secret: WebhookSecretOptions

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("Answer each comment with this text.", valueName: "text"))
        var autoReply: String?

        @Option(name: .long, parsing: .unconditional, help: "Who answers.")
        var supportName = "Support"

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp("A picture of whoever answers.", valueName: "file"))
        var avatar: String?

        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (0...65_535).contains(port) else { throw ValidationError("--port \(port): use 0 to 65535.") }
            guard (1...255).contains(supportName.utf8.count) else {
                throw ValidationError("--support-name: use 1 to 255 bytes.")
            }
            if let autoReply, !(1...32_768).contains(autoReply.utf8.count) {
                throw ValidationError("--auto-reply: use 1 to 32768 bytes.")
            }
            if users != nil, app.isEmpty { throw ValidationError("--users needs --app.") }
            if users != nil, authorization != nil {
                throw ValidationError("--users and --authorization exclude each other: give one of them.")
            }
            if secret.setting.isGiven, webhook == nil { throw ValidationError("--webhook-secret needs --webhook.") }
            for (option, url) in [("--authorization", authorization), ("--webhook", webhook)] {
                guard let url else { continue }
                var configuration = ServiceDeskServer.Configuration()
                configuration.webhookURL = url
                do { _ = try ServiceDeskServer(configuration) } catch { throw ValidationError("\(option) \(error).") }
            }
        }

        func run() async throws {
            output.bootstrapLogging()
            Interruption.begin(watchesOutput: false)
            let server = try ServiceDeskServer(try configuration())
            let incoming = await server.incoming()
            try await server.start()
            let address = (url: await server.url, port: await server.port)
            if output.json {
                JSONOutput.print(DeskServerReport(url: address.url, port: address.port))
            } else {
                StandardOutput.line("listening on \(address.url); interrupt to stop")
            }
            let reading = Task { for await one in incoming { await take(one, server) } }
            let answering = Task { for await line in InputLines.read() { await answer(line, server) } }
            var parts = ServedParts()
            parts.add("server") { await server.stop() }
            parts.add("lines") {
                reading.cancel()
                answering.cancel()
            }
            try await parts.run()
        }

        private func configuration() throws -> ServiceDeskServer.Configuration {
            var configuration = ServiceDeskServer.Configuration()
            configuration.host = bind
            configuration.port = port
            configuration.appIDs = Set(app)
            configuration.support = DeskAuthor(
                name: supportName, avatarID: avatar == nil ? nil : 1, avatarColor: avatar == nil ? "#007aff" : nil)
            if let avatar { configuration.avatars = [1: try Self.bytes(avatar, "--avatar")] }
            configuration.authorizationURL = authorization
            configuration.webhookURL = webhook
            configuration.webhookSecret = webhook == nil ? nil : try secret.setting.resolve()
            if let users { configuration.registry = try registry(users) }
            return configuration
        }

        private func registry(_ path: String) throws -> AuthorizationRegistry {
            guard
                let read = try? JSONDecoder().decode([String: String].self, from: Data(try Self.bytes(path, "--users")))
            else {
                throw ExitStatus.Failure(
                    status: .usage, message: "--users \(path): write a JSON object of user ids and security keys")
            }
            var registry = AuthorizationRegistry(salt: DeskLocalStore().deviceID)
            for (user, key) in read {
                Secrets.note(key)
                for app in Set(app) {
                    do { try registry.enroll(appID: app, userID: user, securityKey: key) } catch {
                        throw ExitStatus.Failure(status: .usage, message: "--users \(path): \(error)")
                    }
                }
            }
            return registry
        }

        private static func bytes(_ path: String, _ option: String) throws -> [UInt8] {
            do { return try DeskFile.bytes(of: path) } catch {
                throw ExitStatus.Failure(status: .usage, message: "\(option): \(error)")
            }
        }

        // MARK: What users write, and what is answered

        private func take(_ incoming: ServiceDeskServer.Incoming, _ server: ServiceDeskServer) async {
            let owner = Self.shown(incoming.owner)
            if output.json {
                JSONOutput.print(
                    DeskServerComment(ticketID: incoming.ticketID, owner: owner, comment: incoming.comment))
            } else {
                StandardOutput.line("ticket \(incoming.ticketID), \(owner), \(ChatText.line(incoming.comment))")
            }
            guard let autoReply else { return }
            do { try await server.reply(ticket: incoming.ticketID, autoReply) } catch {
                StandardError.line("callagent: ticket \(incoming.ticketID): \(error)")
            }
        }

        /// A device's name opens its chat: its beginning is enough to tell devices apart.
        private static func shown(_ owner: DeskOwner) -> String {
            switch owner {
            case .device(let name): "device \(String(name.prefix(8)).printable)"
            case .user(let name): "user \(name.printable)"
            }
        }

        private func answer(_ line: String, _ server: ServiceDeskServer) async {
            var words = line.trimmingCharacters(in: .whitespaces).split(separator: " ", maxSplits: 1).map(String.init)
            let isFile = words.first == "/attach"
            if isFile { words = words.dropFirst().flatMap { $0.split(separator: " ", maxSplits: 1).map(String.init) } }
            guard !words.isEmpty else { return }
            guard words.count == 2, let ticket = Int64(words[0]) else {
                return StandardError.line(
                    "callagent: write a ticket's number and the text, or /attach, the number and a file")
            }
            do {
                if isFile {
                    let file = try DeskFile(name: words[1], bytes: try Self.bytes(words[1], "/attach"))
                    try await server.reply(ticket: ticket, "", files: [file])
                } else {
                    try await server.reply(ticket: ticket, words[1])
                }
            } catch {
                StandardError.line("callagent: \(error)")
            }
        }
    }
}

/// What `chat-server --json` prints first.
private struct DeskServerReport: Encodable {
    var url: String
    var port: Int
}

/// What it prints of each comment.
private struct DeskServerComment: Encodable {
    var ticketID: Int64
    var owner: String
    var comment: DeskComment
}
