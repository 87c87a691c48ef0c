import ArgumentParser
import Foundation

/// The command: each subcommand stands in Commands/.
struct CallAgent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callagent",
        abstract: "Real WebRTC calls on Linux: no browser, no sound card, no camera.",
        discussion: """
            EXAMPLES
              callagent call --participants 4 --duration 15
              callagent serve --key devkey --secret a-secret-of-32-characters-or-more
              callagent join --url ws://127.0.0.1:7880 --key devkey --secret ... --room r --identity ada --tone 440
              callagent load --url ws://127.0.0.1:7880 --key devkey --secret ... --publishers 1 --subscribers 100
              callagent netem --server ws://127.0.0.1:7880 --network 3g
              callagent token mint --key devkey --secret ... --room r --identity ada
              callagent story
              callagent doctor

            A signal (SIGINT, SIGTERM, SIGHUP), or a reader of standard output that has gone, ends a run in order: files are \
            completed and the report is printed. A second signal ends it at once.

            SECRETS
              --secret, --token and --e2ee-key are seen by other users of the machine; each has a form with -file, and a \
            variable: LIVEKIT_API_SECRET, LIVEKIT_TOKEN, CALLBRIDGE_E2EE_KEY. So have --security-key and --webhook-secret of chat and \
            chat-server: CALLBRIDGE_SECURITY_KEY, CALLBRIDGE_WEBHOOK_SECRET; --client-certificate-password is \
            CALLBRIDGE_CLIENT_CERTIFICATE_PASSWORD. LIVEKIT_API_KEY and LIVEKIT_URL stand for --key, \
            --url and --server of join, ring, answer, decline and descriptor.

            \(ExitStatus.table)
            """,
        version: "0.1.0",
        subcommands: [
            CallCommand.self, RunCommand.self, ServeCommand.self, JoinCommand.self, RingCommand.self,
            AnswerCommand.self,
            DeclineCommand.self, DescriptorCommand.self, JournalCommand.self, ArchiveCommand.self, LoadCommand.self,
            ReportCommand.self, CompareCommand.self, ScoreCommand.self, NetemCommand.self, TokenCommand.self,
            NotificationCommand.self, DoctorCommand.self,
            ChatCommand.self, ChatServerCommand.self, StoryCommand.self, BudgetCommand.self,
        ])
}

@main
enum Main {
    static func main() async {
        // A peer that goes away must not end the process.
        signal(SIGPIPE, SIG_IGN)
        StandardStreams.claim()
        Secrets.note(arguments: CommandLine.arguments)
        ProcessExit.leave(await run())
    }

    /// Runs the subcommand, and gives the exit code.
    private static func run() async -> Int32 {
        var code = ExitStatus.success.rawValue
        do {
            var command = try CallAgent.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            code = ExitStatus.report(error)
        }
        guard let failure = StandardOutput.stream.failure else { return code }
        StandardError.line("callagent: standard output can't be written: \(String(cString: strerror(failure)))")
        return ExitStatus.environment.rawValue
    }
}
