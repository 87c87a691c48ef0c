import ArgumentParser
import Foundation
import MediaCore

/// `callagent doctor`: what this machine has, and what each lack costs.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check libraries, kernel and ports, and say what each lack costs.",
        discussion: """
            EXAMPLES
              callagent doctor
              callagent doctor --port 7880 --json

            Exit code 3 where something is missing without which calls don't work.
            """)

    @Option(name: .long, parsing: .unconditional, help: "The TCP port that a server shall listen on.")
    var port = 7880

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...65_535).contains(port) else { throw ValidationError("--port \(port): use 1 to 65535.") }
    }

    func run() async throws {
        output.bootstrapLogging()
        var checks = CodecChecks.all()
        checks += KernelChecks.all()
        checks += await PortChecks.all(signalling: port)
        if output.json {
            JSONOutput.print(DoctorReport(ok: !checks.contains { $0.state == .missing }, checks: checks))
        } else {
            for check in checks { print(check.line) }
        }
        if checks.contains(where: { $0.state == .missing }) { throw ExitCode(ExitStatus.environment.rawValue) }
    }
}

/// What `doctor --json` prints.
private struct DoctorReport: Encodable {
    var ok: Bool
    var checks: [DoctorCheck]
}

/// One thing that was looked at.
struct DoctorCheck: Encodable {
    enum State: String, Encodable {
        /// All is well.
        case good
        /// Calls work, but something costs more or is not to be had.
        case limited
        /// Calls don't work.
        case missing
    }

    var name: String
    var state: State
    var found: String
    /// What the lack costs and how to mend it; empty where all is well.
    var advice = ""

    var line: String {
        let mark =
            switch state {
            case .good: "ok      "
            case .limited: "limited "
            case .missing: "MISSING "
            }
        return mark + name.padding(toLength: 22, withPad: " ", startingAt: 0) + found
            + (advice.isEmpty ? "" : "\n        \(advice)")
    }
}
