import ArgumentParser
import CallBridge
import Foundation
import MediaCore

/// The exit codes of all subcommands.
enum ExitStatus: Int32 {
    /// All that was sent was seen.
    case success = 0
    /// Something was lost; it has been named.
    case lost = 1
    /// The command line is wrong.
    case usage = 2
    /// The environment lacks something: a library, a port, a server that answers.
    case environment = 3

    /// A failure with its exit code and a message for people.
    struct Failure: Error {
        var status: ExitStatus
        var message: String
    }

    /// Prints what went wrong and gives the exit code for it.
    static func report(_ error: any Error) -> Int32 {
        if let failure = error as? Failure { return say(failure.message, failure.status) }
        if let error = error as? CallError { return say(error.description, status(of: error.fault)) }
        if let error = error as? MediaError {
            return say(
                error.description, error.kind == .environment || error.kind == .unwritable ? .environment : .usage)
        }
        if let code = error as? ExitCode { return code.rawValue }
        let code = CallAgent.exitCode(for: error)
        guard code != .success else {
            print(CallAgent.fullMessage(for: error))
            return 0
        }
        let isUsage = code == .validationFailure
        return say(
            isUsage ? CallAgent.fullMessage(for: error) : "\(error)", isUsage ? .usage : .environment, prefix: !isUsage)
    }

    private static func say(_ message: String, _ status: ExitStatus, prefix: Bool = true) -> Int32 {
        StandardError.write((prefix ? "callagent: " : "") + message + "\n")
        return status.rawValue
    }

    private static func status(of fault: CallError.Fault) -> ExitStatus {
        switch fault {
        case .caller: .usage
        case .configuration, .provider, .network, .environment: .environment
        }
    }
}

/// Messages for people, unbuffered.
enum StandardError {
    static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
