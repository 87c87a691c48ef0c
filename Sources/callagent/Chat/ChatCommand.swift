import ArgumentParser
import Foundation
import ServiceDesk

/// `callagent chat`: a user's chat with a service desk, in a terminal.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Chat with the support of a service desk.",
        discussion: """
            Without --say, --attach and --wait it reads lines from standard input: each is a comment; /attach FILE sends a file, \
            /refresh asks for news, /quit ends. News come by themselves, the more rarely the longer nothing happens: every 5, \
            15, 60 and 180 seconds.

            EXAMPLES
              callagent chat --server http://127.0.0.1:7890 --app shop
              callagent chat --server http://127.0.0.1:7890 --app shop --say "Where is it?" --attach photo.jpg --wait 60 --json
              callagent chat --server https://desk.example --app shop --user ada --security-key-file key.txt --state chats.json
              callagent chat --server http://127.0.0.1:7890 --app shop --state chats.json --replies --wait 300

            EXIT CODES
              0  everything was sent; with --wait the support has answered
              1  no answer came in time; something was refused
              2  the command line is wrong, or a file that it names can't be used
              3  the service does not answer, or does not let this user in; a file can't be written
            """)

    @OptionGroup var target: ChatTargetOptions

    @Option(name: .long, parsing: .unconditional, help: "Whom the support sees.")
    var name = "Guest"

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Write a comment; may be given more than once.", valueName: "text"))
    var say: [String] = []

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Send a file with the first comment; may be given up to 10 times.", valueName: "file"))
    var attach: [String] = []

    @Flag(name: .long, help: "Begin a new ticket with the first comment.")
    var newTicket = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Wait at most so long for an answer, and end with it.", valueName: "seconds"))
    var wait: Double?

    @Flag(
        name: .long, help: "Don't open the chat: answers stay unread, and are told as a reply subscription tells them.")
    var replies = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Save files of the support there.", valueName: "folder"))
    var save: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Tell the service how this device is notified.", valueName: "token"))
    var pushToken: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...255).contains(name.utf8.count) else { throw ValidationError("--name: use 1 to 255 bytes.") }
        if let wait, !(0.1...86_400).contains(wait) {
            throw ValidationError("--wait \(wait): use 0.1 to 86400 seconds.")
        }
        guard attach.count <= 10 else { throw ValidationError("--attach: a comment has at most 10 files.") }
        guard say.allSatisfy({ !$0.isEmpty }) else { throw ValidationError("--say must not be empty.") }
        guard say.allSatisfy({ $0.utf8.count <= 32 * 1024 }) else {
            throw ValidationError("--say: a comment has at most 32768 bytes.")
        }
        guard save?.isEmpty != true else { throw ValidationError("--save must not be empty.") }
        if replies, save != nil { throw ValidationError("--save needs the open chat: leave --replies out.") }
        if output.json, say.isEmpty, attach.isEmpty, wait == nil {
            throw ValidationError("--json needs --say, --attach or --wait.")
        }
    }

    func run() async throws {
        output.bootstrapLogging()
        Interruption.begin()
        let files = try attachments()
        let file = target.state.map(LocalStoreFile.init)
        let store = try file?.read() ?? DeskLocalStore()
        let credentials = try target.credentials(device: store.deviceID)
        var configuration = ServiceDeskConfiguration()
        configuration.userName = name
        let (user, key): (String?, String?) =
            switch credentials.authentication {
            case .anonymous: (nil, nil)
            case .external(let user, let key): (user, key)
            }
        let desk = try ServiceDesk(
            server: target.server, trust: try target.trust.trust.roots, appID: target.app, userID: user,
            securityKey: key, configuration: configuration,
            store: store)
        // Written before anything is sent: the device keeps its name.
        try file?.write(store)
        let run = ChatRun(desk: desk, command: self)
        let outcome: Result<ChatReport, any Error>
        do { outcome = .success(try await run.run(files)) } catch { outcome = .failure(error) }
        await desk.stop()
        try file?.write(await desk.localStore)
        let report = try outcome.get()
        if output.json { JSONOutput.print(report) }
        if let wait, report.answers == 0 {
            throw ExitStatus.Failure(
                status: .lost,
                message: report.interrupted.map { "interrupted by \($0) before an answer came" }
                    ?? "no answer came in \(wait) s")
        }
    }

    /// The files that are sent with the first comment.
    private func attachments() throws -> [DeskFile] {
        try attach.map { path in
            do { return try DeskFile(name: path, bytes: try DeskFile.bytes(of: path)) } catch {
                throw ExitStatus.Failure(status: .usage, message: "--attach \(path): \(error)")
            }
        }
    }
}

/// What `chat --json` prints.
struct ChatReport: Encodable {
    var server: String
    /// The comments that were sent.
    var sent: [DeskComment] = []
    /// Those that came.
    var received: [DeskComment] = []
    /// With --replies.
    var replies: [DeskReply] = []
    /// Files that were written.
    var saved: [String] = []
    /// Comments of the support that came after the last that was sent, and replies.
    var answers = 0
    /// The signal that ended it.
    var interrupted: String?
}
