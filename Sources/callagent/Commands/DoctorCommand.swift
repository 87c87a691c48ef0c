import ArgumentParser
import CallModel
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

            EXIT CODES
              0  calls work here
              2  the command line is wrong
              3  something is missing without which calls don't work
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
            StandardOutput.report(checks.map(\.line).joined(separator: "\n"))
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
    /// Of a library: its release, the file it was loaded from, and whether our tests have passed with it.
    var library: Library?

    struct Library: Encodable {
        var release: String
        var path: String?
        var isTested: Bool
        var testedReleases: [String]
    }

    var line: String {
        let mark =
            switch state {
            case .good: "ok      "
            case .limited: "limited "
            case .missing: "MISSING "
            }
        return mark + name.padding(toLength: 22, withPad: " ", startingAt: 0) + found.printable
            + (advice.isEmpty ? "" : "\n        \(advice)")
    }
}
