import ArgumentParser
import Foundation
import LoadCore
import LoadResults

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
              callagent load ... --publishers 2 --subscribers 50 --reconnect-storm 20 --metrics seconds.jsonl --report run.html
              callagent load ... --publishers 1 --subscribers 20 --network-for '10% of subscribers:rate=300,delay=40'
              callagent load ... --publishers 1 --subscribers 20 --data-rate 5 --rpc-rate 1 --e2ee-key-file key.txt
              callagent load ... --publishers 1 --subscribers 20 --assert 'video.freezeRatio<1%' --junit load.xml
              callagent load ... --rooms 400 --publishers 2 --subscribers 3 --shard 0/4 --output shard-0.json

            \(ExitStatus.table)
            """,
        subcommands: [LoadMergeCommand.self])

    @OptionGroup var target: LoadTargetOptions
    @OptionGroup var people: LoadPeopleOptions
    @OptionGroup var course: LoadCourseOptions
    @OptionGroup var media: LoadMediaOptions
    @OptionGroup var networks: LoadNetworkOptions
    @OptionGroup var results: LoadResultOptions
    @OptionGroup var output: OutputOptions

    /// Not of `validate`, which is asked of the command line of `load merge`, too. Throws `ValidationError`.
    func check() throws {
        try target.check(rooms: people.rooms)
        let settings = settings
        guard settings.participants > 0 else {
            throw ValidationError("Nobody takes part: give --publishers, --subscribers or both.")
        }
        guard settings.participants / (settings.shard?.count ?? 1) <= 20_000 else {
            throw ValidationError(
                "--rooms, --publishers and --subscribers make \(settings.participants) participants; use 20000 at the most "
                    + "in one process, and --shard for more.")
        }
        guard settings.participants <= 1_000_000 else {
            throw ValidationError(
                "\(settings.participants) participants are too many for one run; use 1000000 or fewer.")
        }
        try checkData(settings)
    }

    private func checkData(_ settings: LoadSettings) throws {
        guard settings.callsPerSecond == 0 || settings.publishers > 0,
            settings.callsPerSecond == 0 || settings.participantsPerRoom > 1
        else {
            throw ValidationError(
                "--rpc-rate \(settings.callsPerSecond): a publisher that answers is needed, and who calls it.")
        }
        guard settings.messagesPerSecond == 0 || settings.publishers > 0 else {
            throw ValidationError(
                "--data-rate \(settings.messagesPerSecond): publishers send messages, and there are none.")
        }
        try media.codec.check(target.encryption)
        guard target.provider == .openTokLike else { return }
        for (name, rate) in [("data-rate", settings.messagesPerSecond), ("rpc-rate", settings.callsPerSecond)]
        where rate > 0 {
            throw ValidationError(
                "--\(name): signals of --provider opentok carry text alone, and no numbers; leave it out.")
        }
    }

    /// What the plan is made from.
    var settings: LoadSettings {
        var settings = LoadSettings()
        people.apply(to: &settings)
        course.apply(to: &settings)
        if !target.session.isEmpty {
            settings.roomNames = target.session
            settings.rooms = target.session.count
        }
        settings.simulatesSpeakers = media.simulateSpeakers
        settings.decoders = settings.videoPublishers > 0 ? media.decode : 0
        return settings
    }

    func run() async throws {
        try check()
        // Their growth would look like something that is left over.
        if settings.cycles > 1 { ThreadCaches.switchOff() }
        output.bootstrapLogging()
        try Descriptors.require()
        Interruption.begin()
        let plan = LoadPlan(settings)
        let header = header
        let files = try results.open()
        files.lines?.write(try MetricsLines.header(header))
        let metrics = LoadMetrics()
        let endpoint = try await metrics.listen(results.metricsAddress)
        let networks = try await LoadNetworks.start(networks.rules, towards: try target.address())
        let world = try world(networks, files.traces)
        warnOfDescriptors(plan.size)
        let progress = LoadProgress(isQuiet: output.json, metrics: files.lines)
        let run = LoadRun(plan, in: world, header: header, thresholds: results.thresholds, server: results.serverPid) {
            metrics.note($0)
            progress.show($0, planned: $1)
        }
        let record = await run.run()
        await networks.stop()
        progress.end()
        if output.json {
            JSONOutput.print(record.results)
            if let saturation = record.results.verdicts.saturation {
                StandardError.line(LoadText.warning(saturation, of: record.results.seconds.count))
            }
        } else {
            StandardOutput.report(LoadText.report(record))
        }
        try files.finish(record.results)
        await endpoint?.close()
        let status = Self.status(of: record)
        if status != .success { throw ExitCode(status.rawValue) }
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

    private func world(_ networks: LoadNetworks, _ traces: ResultFile?) throws -> LoadWorld {
        let settings = settings
        var way = LoadWorld.Settings()
        try target.apply(to: &way)
        way.layout = media.layout
        way.exceedsLayout = settings.videoPublishers > media.layout.capacity
        way.takesTurns = media.simulateSpeakers
        way.participants = settings.rooms * settings.participantsPerRoom / (settings.shard?.count ?? 1)
        way.media.acceptsAllCodecs = media.codec.videoCodec != .vp8
        let clips = try LoadMedia(
            media.format, pictures: settings.videoPublishers > 0, sound: settings.audioPublishers > 0)
        return LoadWorld(way, media: clips, networks: networks, traces: traces.map { JoinTraces($0) })
    }

    private func warnOfDescriptors(_ participants: Int) {
        let limit = Descriptors.raiseLimit()
        let needed = Descriptors.needed(for: participants, twoConnections: target.twoConnections)
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
            target: (try? target.address()).map { Secrets.cut(from: $0) },
            shard: people.shard.map { RunHeader.Shard(index: $0.index, count: $0.count) })
    }
}
