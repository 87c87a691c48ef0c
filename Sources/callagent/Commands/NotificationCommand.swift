import ArgumentParser
import CallModel
import ClientNotifications
import ClientStorage
import Foundation

/// `callagent notification`: what a process beside an application does with its notifications.
struct NotificationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notification",
        abstract: "Open sealed notifications beside an application, with the keys that both share.",
        discussion: """
            EXAMPLES
              callagent notification keep-key --keys keys < key.json
              callagent notification decrypt --keys keys < payload.json
            """,
        subcommands: [NotificationDecryptCommand.self, NotificationKeepKeyCommand.self])
}

/// Where the keys are.
struct NotificationKeyOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The folder of preferences that holds the keys; made where it is missing.", valueName: "folder"))
    var keys: String

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The preferences are sealed with the key in this file, 32 bytes that only you can read; made where it is missing.",
            valueName: "file"))
    var keyFile: String?

    func validate() throws {
        guard !keys.isEmpty, keyFile?.isEmpty != true else {
            throw ValidationError("--keys and --key-file must not be empty.")
        }
    }

    func open() throws -> NotificationStore {
        try Self.explained {
            let files = try FilePreferenceStore(directory: keys)
            guard let keyFile else { return NotificationStore(files) }
            return NotificationStore(try EncryptedPreferenceStore(files, key: try PreferenceKey.file(keyFile)))
        }
    }

    /// With the exit code of what can't be kept or read.
    static func explained<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let fault as PreferenceFault {
            throw ExitStatus.Failure(status: .environment, message: fault.description)
        }
    }

    /// All of standard input, of a bounded length.
    static func input() throws -> Data {
        let data = (try? FileHandle.standardInput.read(upToCount: 64 * 1024)) ?? Data()
        guard !data.isEmpty else { throw ValidationError("standard input is empty; write JSON to it.") }
        return data
    }
}

/// `callagent notification decrypt`: a notification extension.
struct NotificationDecryptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Open the notification on standard input, and print what is shown in its place.",
        discussion: """
            The payload is as it came, shaped for APNs or FCM. One JSON object is printed: `outcome` is `opened`, `original` (title or \
            text is missing in it), `blank` (it can't be opened; `reason` says why) or `expired` (time was over: it is shown as it \
            came), and `shown` is what the system shows. What was opened once is a replay to every process with these keys.

            EXIT CODES
              0  something is shown, whatever the outcome
              2  the command line is wrong, or standard input is empty
              3  the keys can't be read or kept
            """)

    @OptionGroup var store: NotificationKeyOptions

    @Option(name: .long, parsing: .unconditional, help: "Milliseconds until the system waits no longer.")
    var time = 30_000

    func validate() throws {
        guard (1...600_000).contains(time) else {
            throw ValidationError("--time \(time): use 1 to 600000 milliseconds.")
        }
    }

    private enum Attempt: Sendable {
        case opened(Result<NotificationExtensionOutcome, any Error>)
        case timeOver
    }

    private struct Report: Encodable {
        var outcome: String
        var reason: String?
        var shown: ShownNotification?
    }

    func run() async throws {
        let payload = try NotificationKeyOptions.input()
        var run = NotificationExtension(payload)
        let (attempts, sink) = AsyncStream.makeStream(of: Attempt.self)
        // Another process may have the keys for a while: neither task waits for the other.
        let options = store
        Task.detached {
            sink.yield(.opened(Result { try options.open().decrypt(payload, now: CallTime.now.rawValue) }))
        }
        Task { [time] in
            try? await Task.sleep(for: .milliseconds(time))
            sink.yield(.timeOver)
        }
        switch await attempts.first(where: { _ in true }) {
        case .opened(let result):
            let outcome = try NotificationKeyOptions.explained { try result.get() }
            var report = Report(outcome: outcome.name, shown: run.opened(outcome))
            if case .blank(let fault) = outcome { report.reason = fault.description }
            JSONOutput.print(report)
        case .timeOver, nil: JSONOutput.print(Report(outcome: "expired", shown: run.timeWillExpire()))
        }
    }
}

/// `callagent notification keep-key`: what an application does with a key that it gets.
struct NotificationKeepKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep-key",
        abstract: "Keep the key on standard input.",
        discussion: """
            `{"id": "...", "key": "Base64 of 32 bytes"}`. The key before it opens notifications for 24 hours.
            """)

    @OptionGroup var store: NotificationKeyOptions

    func run() throws {
        let data = try NotificationKeyOptions.input()
        guard let key = (try? JSONDecoder().decode(NotificationKeyAnswer.self, from: data))?.value else {
            throw ValidationError(
                "standard input holds no key; write {\"id\": \"...\", \"key\": \"Base64 of 32 bytes\"}.")
        }
        try NotificationKeyOptions.explained { try store.open().rotate(to: key, now: CallTime.now.rawValue) }
    }
}
