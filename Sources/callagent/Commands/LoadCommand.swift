import ArgumentParser
import Foundation
import LoadCore
import LoadResults
import ProviderLiveKitLike
import RTCTransport

/// `callagent load`: fills a server with participants, and counts what each of them got.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Fill a server with participants, and count what each of them got of what was sent.",
        discussion: """
            Counts are of each room. Sound and pictures are encoded once, by the real encoders, and every frame carries its \
            number and its time: what is counted at each subscriber is what its publishers sent, and not what sequence numbers \
            suggest. A second in which this machine was the bottleneck is marked, and the first line of the report says so.

            EXAMPLES
              callagent load --url ws://127.0.0.1:7880 --key devkey --secret ... --publishers 1 --subscribers 500 --video 600k
              callagent load ... --rooms 100 --publishers 2 --subscribers 3 --duration 60s
              callagent load ... --video-publishers 12 --audio-publishers 12 --subscribers 20 --layout 4x4 --simulate-speakers
              callagent load ... --publishers 1 --subscribers 100 --arrival churn --joins-per-minute 200 --duration 10m
              callagent load ... --publishers 1 --subscribers 50 --arrival soak --cycles 3 --duration 3m
              callagent load ... --publishers 2 --subscribers 50 --reconnect-storm 20 --metrics seconds.jsonl --json > run.json
              callagent load ... --publishers 1 --subscribers 20 --assert 'video.freezeRatio<1%' --junit load.xml

            \(ExitStatus.table)
            """,
        subcommands: [LoadMergeCommand.self])

    @Option(
        name: .long, parsing: .unconditional,
        help: "The server's URL, ws://host:port or wss://host; without it that of LIVEKIT_URL.")
    var url: String?

    @OptionGroup var apiKey: APIKeyOptions
    @OptionGroup var people: LoadPeopleOptions
    @OptionGroup var course: LoadCourseOptions
    @OptionGroup var media: LoadMediaOptions

    @Flag(name: .long, help: "Use the older signalling mode with two connections.")
    var twoConnections = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A simulated bad network between everybody and the server: pairs as `callagent call` has them.",
            valueName: "pairs"),
        transform: LoadCommand.profile)
    var network: NetworkProfile?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Write what happens in each second to this file, one JSON object a line.", valueName: "file"))
    var metrics: String?

    @Option(
        name: .customLong("assert"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "What has to hold, such as 'video.freezeRatio<1%' or 'join.p95<=200ms'; may be given more than once.",
            valueName: "threshold"),
        transform: LoadCommand.threshold)
    var thresholds: [Threshold] = []

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Write the verdicts to this file as JUnit XML.", valueName: "file"))
    var junit: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The server's process on this machine, to show its processor time.", valueName: "pid"))
    var serverPid: Int32?

    @OptionGroup var trust: TrustOption
    @OptionGroup var srtp: SRTPOption
    @OptionGroup var output: OutputOptions

    private static func profile(_ text: String) throws -> NetworkProfile {
        do { return try NetworkProfile(parsing: text) } catch { throw ValidationError("\(error).") }
    }

    private static func threshold(_ text: String) throws -> Threshold {
        do { return try Threshold(text) } catch { throw ValidationError("\(error)") }
    }

    /// Not of `validate`, which is asked of the command line of `load merge`, too. Throws `ValidationError`.
    func check() throws {
        _ = try ServerURL.signalling(url)
        _ = try apiKey.required()
        let settings = settings
        guard settings.participants > 0 else {
            throw ValidationError("Nobody takes part: give --publishers, --subscribers or both.")
        }
        guard settings.participants <= 20_000 else {
            throw ValidationError(
                "--rooms, --publishers and --subscribers make \(settings.participants) participants; use 20000 at the most."
            )
        }
    }

    /// What the plan is made from.
    var settings: LoadSettings {
        var settings = LoadSettings()
        people.apply(to: &settings)
        course.apply(to: &settings)
        settings.simulatesSpeakers = media.simulateSpeakers
        settings.decoders = settings.videoPublishers > 0 ? media.decode : 0
        return settings
    }

    func run() async throws {
        try check()
        output.bootstrapLogging()
        Interruption.begin()
        let plan = LoadPlan(settings)
        let header = header
        let lines = try metrics.map { try ResultFile("--metrics", path: $0) }
        let verdicts = try junit.map { try ResultFile("--junit", path: $0) }
        lines?.write(try MetricsLines.header(header))
        let relays = try await network.asyncMap { try await CallNetwork.start(.init(profile: $0)) }
        let world = try world(relays)
        warnOfDescriptors(settings.participants)
        let progress = LoadProgress(isQuiet: output.json, metrics: lines)
        let run = LoadRun(plan, in: world, header: header, thresholds: thresholds, server: serverPid) {
            progress.show($0, planned: $1)
        }
        let record = await run.run()
        await relays?.stop()
        progress.end()
        if output.json {
            JSONOutput.print(record.results)
            if let saturation = record.results.verdicts.saturation {
                StandardError.line(LoadText.warning(saturation, of: record.results.seconds.count))
            }
        } else {
            StandardOutput.report(LoadText.report(record))
        }
        try leave(record.results, lines, verdicts)
        let status = Self.status(of: record)
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private func leave(_ results: LoadResults, _ lines: ResultFile?, _ verdicts: ResultFile?) throws {
        let (state, seconds) = (results.state, results.durationSeconds)
        lines?.write(try MetricsLines.end(state, durationSeconds: seconds, interruption: results.interruption))
        verdicts?.write(Data(JUnitFile.text(results).utf8))
        try lines?.close()
        try verdicts?.close()
    }

    /// What this machine lacks comes first, for then nothing else is to be trusted; then that it was too slow.
    static func status(of record: LoadRecord) -> ExitStatus {
        let results = record.results
        if record.shortage != nil { return .environment }
        if !results.participants.isEmpty, results.participants.allSatisfy({ $0.endReason == .joinFailed }) {
            return .environment
        }
        if results.verdicts.saturation != nil { return .saturated }
        return results.verdicts.ok ? .success : .lost
    }

    private func world(_ relays: CallNetwork?) throws -> LoadWorld {
        let (key, secret) = try apiKey.required()
        let settings = settings
        var way = LoadWorld.Settings(url: try ServerURL.signalling(url), key: key, secret: secret)
        way.mode = twoConnections ? .twoConnections : .automatic
        way.layout = media.layout
        way.exceedsLayout = settings.videoPublishers > media.layout.capacity
        way.takesTurns = media.simulateSpeakers
        way.trust = trust.trust
        way.media.dtlsBackend = srtp.dtls
        way.media.srtpBackend = srtp.srtp
        way.media.srtpProfiles = srtp.profiles
        relays?.route(&way.media)
        let clips = try LoadMedia(
            media.format, pictures: settings.videoPublishers > 0, sound: settings.audioPublishers > 0)
        return LoadWorld(way, media: clips)
    }

    private func warnOfDescriptors(_ participants: Int) {
        let limit = Descriptors.raiseLimit()
        let needed = Descriptors.needed(for: participants, twoConnections: twoConnections)
        guard limit < needed else { return }
        StandardError.line(
            "callagent: \(participants) participants need about \(needed) open files, and \(limit) are allowed: ulimit -n \(needed)"
        )
    }

    private var header: RunHeader {
        let version = CallAgent.configuration.version
        return RunHeader(
            toolVersion: version, arguments: ArgumentList.withoutSecrets(CommandLine.arguments),
            timestamp: Int64(Date().timeIntervalSince1970 * 1000), machine: .present,
            target: (try? ServerURL.signalling(url)).map { Secrets.cut(from: $0) })
    }
}

extension Optional where Wrapped: Sendable {
    fileprivate func asyncMap<Result>(_ body: (Wrapped) async throws -> Result) async throws -> Result? {
        guard let self else { return nil }
        return try await body(self)
    }
}
