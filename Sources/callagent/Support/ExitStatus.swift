import ArgumentParser
import CallBridge
import CallServer
import Foundation
import MediaCore
import ServiceDesk

/// The exit codes of all subcommands.
enum ExitStatus: Int32, CaseIterable {
    /// What was asked for was done: all that was sent was heard and seen.
    case success = 0
    /// Something was lost, or did not come about; it has been named.
    case lost = 1
    /// The command line is wrong, or a file that it names can't be used.
    case usage = 2
    /// The environment lacks something: a library, a port, a server that answers.
    case environment = 3
    /// A load test ran on a machine that was too slow for it.
    case saturated = 4

    /// What the code says, as help, README and docs/command-line.md have it.
    var meaning: String {
        switch self {
        case .success: "what was asked for was done; all that was sent was heard and seen"
        case .lost: "something was lost or did not come about; it is named"
        case .usage: "the command line is wrong, or a file that it names to be read can't be used"
        case .environment:
            "the environment lacks something: a library, a device, a port, a file to write, a server that lets us in"
        case .saturated: "a load test was itself the bottleneck: its numbers say nothing of the server"
        }
    }

    /// The codes of a process that a second signal has ended.
    static let ended = "129, 130, 143: a second SIGHUP, SIGINT, SIGTERM; ended at once, without a report"

    /// The table for help texts.
    static var table: String {
        (["EXIT CODES"] + allCases.map { "  \($0.rawValue)  \($0.meaning)" } + ["  \(ended)"]).joined(separator: "\n")
    }

    /// A failure with its exit code and a message for people.
    struct Failure: Error, CustomStringConvertible {
        var status: ExitStatus
        var message: String
        /// More, a line each.
        var details: [String] = []

        var description: String { message }
    }

    /// Prints what went wrong and gives the exit code for it.
    static func report(_ error: any Error) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        if let (status, lines) = explained(error) { return say(lines, status) }
        let code = CallAgent.exitCode(for: error)
        if code == .success {
            StandardOutput.report(CallAgent.fullMessage(for: error))
            return success.rawValue
        }
        guard code == .validationFailure else { return say([unexplained(error)], .environment) }
        for line in CallAgent.fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false) {
            StandardError.line(String(line))
        }
        return usage.rawValue
    }

    /// The code and the words of an error that has words for people; nil for others, and those of the command line.
    static func explained(_ error: any Error) -> (ExitStatus, [String])? {
        switch error {
        case let error as Failure: (error.status, [error.message] + error.details)
        case let error as CallError: (status(of: error.fault), [error.description])
        case let error as MediaError: (status(of: error.kind), [error.description])
        case let error as RPCError: (.lost, [error.description])
        case let error as CallServerError: (status(of: error), [error.description])
        case let error as DeskError: (status(of: error.code), [error.description])
        case let error as JournalOutputError: (.environment, [error.description])
        default: nil
        }
    }

    /// Of an error that nothing here knows, only what the system says of it is fit for people.
    private static func unexplained(_ error: any Error) -> String {
        let words = error is CocoaError ? ": \(FileFault.words(error))" : ""
        return "something failed that has no better words\(words); run it again with --log-level debug"
    }

    private static func say(_ lines: [String], _ status: ExitStatus) -> Int32 {
        for (index, line) in lines.enumerated() { StandardError.line(index == 0 ? "callagent: \(line)" : "  \(line)") }
        return status.rawValue
    }

    private static func status(of fault: CallError.Fault) -> ExitStatus {
        switch fault {
        case .caller: .usage
        case .configuration, .provider, .network, .environment: .environment
        }
    }

    private static func status(of code: DeskError.Code) -> ExitStatus {
        switch code {
        case .missingAppID, .invalidCredentials, .invalidConfiguration, .emptyAttachment, .tooLarge: .usage
        case .authorizationFailed, .unreachable, .invalidAnswer, .portUnavailable, .unwritable: .environment
        case .tooOften, .refused, .notFound: .lost
        }
    }

    private static func status(of error: CallServerError) -> ExitStatus {
        if case .configuration = error { .usage } else { .environment }
    }

    private static func status(of kind: MediaError.Kind) -> ExitStatus {
        switch kind {
        case .environment, .unwritable: .environment
        case .unreadable, .unsupported, .corrupt, .argument: .usage
        }
    }
}
