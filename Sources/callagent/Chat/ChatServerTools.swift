import ArgumentParser
import Foundation
import ServiceDesk

extension ChatServerCommand {
    /// `callagent chat-server webhooks`.
    struct Webhooks: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "webhooks", abstract: "Listen for a service desk's webhooks, and print each on a line.",
            discussion: """
                EXAMPLES
                  callagent chat-server webhooks --port 8081
                  callagent chat-server webhooks --port 8081 --webhook-secret-file secret.txt --count 1 --json

                EXIT CODES
                  0  so many came as --count says; without --count it was interrupted
                  1  interrupted before --count
                  2  the command line is wrong
                  3  the port or address can't be had
                """)

        @Option(name: .long, parsing: .unconditional, help: "TCP port; 0 lets the system choose.")
        var port = 8081

        @Option(name: .long, parsing: .unconditional, help: "The address to listen on.")
        var bind = "127.0.0.1"

        @OptionGroup var secret: WebhookSecretOptions

        @Option(name: .long, parsing: .unconditional, help: "End after so many.")
        var count: Int?

        @Flag(name: .long, help: "Print each as it came, a JSON object.")
        var json = false

        func validate() throws {
            guard (0...65_535).contains(port) else { throw ValidationError("--port \(port): use 0 to 65535.") }
            if let count, count < 1 { throw ValidationError("--count \(count): use 1 or more.") }
        }

        func run() async throws {
            Interruption.begin()
            let listener = try await DeskWebhookListener.listen(
                host: bind, port: port, secret: try secret.setting.resolve())
            StandardError.line("listening on http://\(ServeCommand.ownHost(bind)):\(listener.port)/")
            let came: Void? = try await Interruption.unless { [self] in await read(listener) }
            await listener.close()
            if came == nil, let count {
                throw ExitStatus.Failure(status: .lost, message: "interrupted before \(count) webhooks came")
            }
        }

        private func read(_ listener: DeskWebhookListener) async {
            var number = 0
            for await webhook in listener.webhooks {
                if json { JSONOutput.print(webhook) } else { StandardOutput.line(Self.line(webhook)) }
                number += 1
                if number == count { return }
            }
        }

        private static func line(_ webhook: DeskWebhook) -> String {
            let comment = DeskComment(
                id: webhook.comment.id, body: webhook.comment.body, isInbound: false, attachments: webhook.attachments,
                createdAt: webhook.createdAt, author: webhook.author)
            return "ticket \(webhook.ticketID), comment \(webhook.comment.id), \(ChatText.line(comment))"
        }
    }

    /// `callagent chat-server check`.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check an application's authorization service against its contract.",
            discussion: """
                It is asked in both encodings, form and JSON: the known user, wrong keys, 100 and 101 characters, missing \
                fields, another method. docs/service-desk.md has the contract.

                EXAMPLES
                  callagent chat-server check --url https://shop.example/authorize --app shop --user ada --security-key-file key.txt

                EXIT CODES
                  0  every answer is right
                  1  an answer is wrong; it is named
                  2  the command line is wrong
                  3  the service does not answer
                """)

        @Option(name: .long, parsing: .unconditional, help: "The authorization service.")
        var url: String

        @Option(name: .long, parsing: .unconditional, help: "The application's id.")
        var app: String

        @Option(name: .long, parsing: .unconditional, help: "A user whom the service lets in.")
        var user: String

        @OptionGroup var key: SecurityKeyOptions

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        func validate() throws {
            guard try key.setting.resolve() != nil else {
                throw ValidationError(
                    "--security-key (or --security-key-file or CALLBRIDGE_SECURITY_KEY) is needed: the user's key.")
            }
        }

        func run() async throws {
            let results = try await AuthorizationClient.check(
                url: url, appID: app, userID: user, securityKey: try key.setting.resolve() ?? "")
            guard results.contains(where: { $0.status != nil }) else {
                throw ExitStatus.Failure(status: .environment, message: "the authorization service does not answer")
            }
            if json {
                JSONOutput.print(["checks": results])
            } else {
                for result in results { StandardOutput.line(Self.line(result)) }
            }
            guard results.allSatisfy(\.isRight) else { throw ExitCode(ExitStatus.lost.rawValue) }
        }

        private static func line(_ result: AuthorizationCheckResult) -> String {
            guard !result.isRight else { return "ok    \(result.name)" }
            let right = result.expected.map(String.init).joined(separator: " or ")
            return "WRONG \(result.name): \(result.status.map(String.init) ?? "no answer") instead of \(right)"
        }
    }
}
