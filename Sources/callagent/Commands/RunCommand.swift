import ArgumentParser
import Foundation
import MediaCore
import ScenarioCore

/// `callagent run`: plays scenario files.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract:
            "Play scenario files: who joins when, says, shows, mutes, roams, drops; and what each must see and hear.",
        discussion: """
            The language stands in docs/scenarios.md, examples in Examples/Scenarios. The same file runs over sockets, against \
            a server in this process or that of --url, and in virtual time, where an hour takes seconds and the same seed \
            gives the same weather.

            EXAMPLES
              callagent run Examples/Scenarios/two-party-smoke.yaml
              callagent run --virtual Examples/Scenarios/webinar.yaml
              callagent run --virtual --junit results.xml *.yaml
              callagent run --check *.yaml

            An interruption ends the run: what came until then is judged and reported, and the exit code is 1.

            \(ExitStatus.table)
            """)

    @Argument(help: "The scenario files.")
    var files: [String] = []

    @Flag(name: .long, help: "In virtual time: the network is simulated, the server too.")
    var virtual = false

    @Option(name: .long, parsing: .unconditional, help: "Another seed than the files'.")
    var seed: UInt64?

    @Option(
        name: .long, parsing: .unconditional,
        help:
            "A server that is there already, ws:// or wss://, instead of one in this process; needs --key and --secret."
    )
    var url: String?

    @OptionGroup var apiKey: APIKeyOptions

    @Option(
        name: .long, parsing: .unconditional, help: ArgumentHelp("Write the verdicts as JUnit XML.", valueName: "file"))
    var junit: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Keep what is recorded in this folder; else recordings are judged and removed.", valueName: "folder"))
    var record: String?

    @Flag(name: .long, help: "Read and check the files, and run nothing.")
    var check = false

    @Flag(name: .customLong("schema"), help: "Print the JSON Schema of scenario files, and run nothing.")
    var printsSchema = false

    @OptionGroup var output: OutputOptions

    private var mode: ScenarioMode { virtual ? .virtual : .sockets }

    func validate() throws {
        if files.isEmpty, !printsSchema { throw ValidationError("Name a scenario file or several.") }
        if virtual, url != nil { throw ValidationError("--url is a server of sockets; leave it out with --virtual.") }
        if url != nil { _ = try apiKey.required() }
    }

    func run() async throws {
        if printsSchema { return StandardOutput.report(String(ScenarioSchema.text.dropLast())) }
        output.bootstrapLogging()
        let documents = try files.map { (file: $0, document: try ScenarioFile.read($0)) }
        let problems = documents.flatMap { file, document in obstacles(document, file) }
        if !problems.isEmpty { throw ScenarioFile.failure(problems) }
        if check { return StandardOutput.report("\(files.count) \(files.count == 1 ? "file is" : "files are") right") }
        Interruption.begin()
        var reports: [ScenarioReport] = []
        for (file, document) in documents where Interruption.cause == nil || reports.isEmpty {
            let begun = MediaTime.now
            let report = try await play(document, file)
            reports.append(report)
            if !output.json {
                StandardOutput.report(ScenarioText().text(report, elapsed: MediaTime.now.seconds - begun.seconds))
            }
        }
        if output.json { JSONOutput.print(ScenarioReports(reports)) }
        if let junit { try ResultsOnDisk.write(Data(ScenarioJUnit.text(reports).utf8), to: junit) }
        if !reports.allSatisfy(\.ok) || reports.count < documents.count { throw ExitCode(ExitStatus.lost.rawValue) }
    }

    /// What the mode can't do of what a file asks for, and networks that are none.
    private func obstacles(_ document: ScenarioDocument, _ file: String) -> [String] {
        switch document {
        case .scenario(let plan):
            modes(plan).flatMap { ScenarioModeCheck.problems(plan, in: $0, hasServer: url != nil) }.map {
                $0.line(in: file)
            } + ScenarioFile.networkProblems(plan, file)
        case .story(let plan):
            ScenarioModeCheck.problems(plan, in: mode, hasServer: url != nil).map { $0.line(in: file) }
        }
    }

    private func play(_ document: ScenarioDocument, _ file: String) async throws -> ScenarioReport {
        switch document {
        case .scenario(let plan): return try await play(plan, file)
        case .story(let plan):
            try Descriptors.require()
            let progress = Progress(isQuiet: output.json)
            var run = StoryRun(plan: plan)
            run.says = { progress.show($0) }
            let outcome = try await run.outcome()
            progress.end()
            return ScenarioReport(plan, file: file, outcome)
        }
    }

    /// Files that are only checked are checked for what they say they are for.
    private func modes(_ plan: ScenarioPlan) -> [ScenarioMode] {
        check && !virtual && url == nil ? ScenarioMode.allCases.filter(plan.modes.contains) : [mode]
    }

    private func play(_ plan: ScenarioPlan, _ file: String) async throws -> ScenarioReport {
        let seed = seed ?? plan.seed
        let folder = try recordingFolder(plan)
        defer { if record == nil, let folder { try? FileManager.default.removeItem(atPath: folder) } }
        let stage: any ScenarioStage
        switch mode {
        case .virtual: stage = try VirtualStage(plan, seed: seed, folder: ScenarioFile.folder(file))
        case .sockets:
            let address = try url.map { url -> SocketStage.Address in
                let (key, secret) = try apiKey.required()
                return .init(url: url, key: key, secret: secret)
            }
            stage = try await SocketStage.start(plan, seed: seed, at: address, folder: ScenarioFile.folder(file))
        }
        let scene = ScenarioScene(plan, on: stage, recordings: folder)
        return try await ScenarioRun(
            scene, file: file, seed: seed, progress: Progress(isQuiet: output.json)
        ).run()
    }

    private func recordingFolder(_ plan: ScenarioPlan) throws -> String? {
        guard plan.people.contains(where: \.reception.records) else { return nil }
        let folder = record ?? NSTemporaryDirectory() + "/callagent-\(UUID().uuidString)"
        try RecordingFolder.prepare(folder)
        return folder
    }
}

/// Scenario files on disk.
enum ScenarioFile {
    /// Throws `ExitStatus.Failure` with a line for everything that is wrong.
    static func read(_ path: String) throws -> ScenarioDocument {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw ExitStatus.Failure(
                status: .usage, message: "the scenario \(path) can't be read: \(FileFault.words(error)); check the path"
            )
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw ExitStatus.Failure(
                status: .usage, message: "the scenario \(path) is not written in UTF-8; convert it")
        }
        do throws(ScenarioProblems) {
            return try ScenarioReader.document(text)
        } catch {
            throw failure(error.problems.map { $0.line(in: path) })
        }
    }

    /// From which trace files are found.
    static func folder(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func networkProblems(_ plan: ScenarioPlan, _ path: String) -> [String] {
        do throws(ScenarioProblems) {
            _ = try ScenarioNetworks.read(plan, folder: folder(path))
            return []
        } catch {
            return error.problems.map { $0.line(in: path) }
        }
    }

    static func failure(_ lines: [String]) -> ExitStatus.Failure {
        let shown = Array(lines.prefix(20))
        return ExitStatus.Failure(
            status: .usage,
            message: "\(lines.count) \(lines.count == 1 ? "mistake" : "mistakes") in scenario files",
            details: shown + (lines.count > shown.count ? ["and \(lines.count - shown.count) more"] : []))
    }
}
