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
              callagent token mint --key devkey --secret ... --room r --identity ada
              callagent doctor

            EXIT CODES
              0  all that was sent was seen
              1  something was lost; it is named
              2  the command line is wrong
              3  the environment lacks something
            """,
        version: "0.1.0",
        subcommands: [
            CallCommand.self, ServeCommand.self, JoinCommand.self, RingCommand.self, AnswerCommand.self,
            DeclineCommand.self, JournalCommand.self, TokenCommand.self, DoctorCommand.self,
        ])
}

@main
enum Main {
    static func main() async {
        // A peer that goes away must not end the process.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try CallAgent.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            exit(ExitStatus.report(error))
        }
    }
}
