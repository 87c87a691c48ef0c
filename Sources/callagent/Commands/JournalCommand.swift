import ArgumentParser
import CallBridge
import Foundation

/// `callagent journal`: checks a call journal.
struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Check a call journal against the rules that hold for every call.",
        discussion: """
            A journal is a file of JSON lines, as --journal of call and join writes it and the server delivers it. The rules \
            stand in docs/journal.md.

            EXAMPLES
              callagent journal call.jsonl
              callagent journal call.jsonl --json

            EXIT CODES
              0  every rule is kept
              1  a rule is broken; the event is named
              2  the command line is wrong, or the file is no journal; line and field are named
              3  there is no such file, or it can't be read
            """)

    @Argument(help: "The journal.")
    var file: String

    @Flag(name: .long, help: "Print one JSON object instead of text.")
    var json = false

    func run() throws {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw ExitStatus.Failure(
                status: .environment,
                message: "the journal \(file) can't be read: \(FileFault.words(error)); check its path")
        }
        let checked: (events: [JournalEvent], violations: [JournalViolation])
        do {
            checked = try Self.check(String(decoding: data, as: UTF8.self))
        } catch {
            throw ExitStatus.Failure(status: .usage, message: "\(file): \(error)")
        }
        let report = JournalReport(
            events: checked.events.count, violations: checked.violations.map(\.description),
            calls: Set(checked.events.map(\.callId)).count)
        if json { JSONOutput.print(report) } else { StandardOutput.report(Self.text(report)) }
        if !report.violations.isEmpty { throw ExitCode(ExitStatus.lost.rawValue) }
    }

    /// The events of a journal and what breaks a rule in it.
    static func check(
        _ text: String
    ) throws(JournalFileError) -> (events: [JournalEvent], violations: [JournalViolation]) {
        let events = try JournalFile.events(text)
        var checker = JournalChecker()
        var violations: [JournalViolation] = []
        for event in events { violations += checker.check(event) }
        violations += checker.finish()
        return (events, violations)
    }

    private static func text(_ report: JournalReport) -> String {
        let head = "\(report.events) events of \(report.calls ?? 0) calls"
        guard !report.violations.isEmpty else { return "\(head), every rule is kept" }
        return ([head + ", \(report.violations.count) violations:"] + report.violations.map { "  \($0.printable)" })
            .joined(separator: "\n")
    }
}

/// What a journal came to: the `journal` of `--json`.
struct JournalReport: Codable {
    var events = 0
    /// What breaks a rule, one sentence each.
    var violations: [String] = []
    /// `journal` only.
    var calls: Int?
    /// Why the file is not whole.
    var failure: String?

    init(events: Int, violations: [String], calls: Int? = nil) {
        self.events = events
        self.violations = violations
        self.calls = calls
    }

    init(_ summary: CallJournal.Summary) {
        self.init(events: summary.events, violations: summary.violations)
        failure = summary.failure
    }
}

/// `--journal` of `call` and `join`.
struct JournalOption: ParsableArguments {
    @Option(name: .customLong("journal"), parsing: .unconditional, help: "Write the call's journal to this file.")
    var path: String?

    /// The journal, checked while it is written; a file where one is wanted. What keeps it from being written later is said
    /// on standard error at once.
    ///
    /// - Parameter keeps: whether the events are kept in memory.
    func open(keeps: Bool = true) throws -> CallJournal {
        guard let path else { return CallJournal(keeps: keeps) }
        do {
            return try CallJournal(path: path, keeps: keeps) {
                StandardError.write("callagent: \($0); calls go on without it\n")
            }
        } catch {
            throw ExitStatus.Failure(status: .environment, message: "\(error)")
        }
    }
}
