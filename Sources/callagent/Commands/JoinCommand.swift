import ArgumentParser
import CallBridge
import CallModel
import Foundation
import LiveKitProtocol
import MediaCore
import ProviderLiveKitLike
import ProviderOpenTokLike

/// `callagent join`: one headless participant in anybody's room.
struct JoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join a room as a headless participant; publish, listen, watch, record, report.",
        discussion: """
            EXAMPLES
              callagent join --url ws://127.0.0.1:7880 --token eyJ... --tone 440
              callagent join --provider opentok --url http://127.0.0.1:7880 --session 2_MX4... --token T1==...
              callagent join --server http://127.0.0.1:7880 --conversation support-42 --identity ada --key devkey --secret ...
              callagent join --url ws://127.0.0.1:7880 --key devkey --secret ... --room r --identity ada \\
                --say "Good morning" --test-card 640x360@30 --record out --duration 20 --json
              callagent join ... --record ada.webm --duration 20
              callagent join ... --mic pulse --speaker pulse --greeting "Please wait." --indicator
              callagent join ... --tone 440 --test-card 640x360 --camera-permission denied
              callagent join ... --tone 440 --force-relay --ice-server turn:turn.example.org,ada,@secret.txt
              LIVEKIT_URL=wss://calls.example LIVEKIT_TOKEN=eyJ... callagent join --say "Good morning"

            With --server and --conversation the server says which provider carries the call, and where; with --url that is \
            known: LiveKit's protocol, or that of --provider. An OpenTok-style session is named by --session; without \
            --token one is made with --key, --secret and --identity.

            Without --duration an interruption is its ordinary end; with one the report says `interrupted`. Either way what \
            was heard and seen until then is judged.

            \(ExitStatus.table)
            """)

    @Option(
        name: .long, parsing: .unconditional,
        help: "The server's URL, ws://host:port or wss://host; without it that of LIVEKIT_URL.")
    var url: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("What the server of --url speaks: livekit or opentok.", valueName: "name"))
    var provider = JoinProvider.liveKitLike

    @Option(name: .long, parsing: .unconditional, help: "The OpenTok-style session to join.")
    var session: String?

    @OptionGroup var service: ServiceOptions
    @OptionGroup var tokens: TokenOptions
    @OptionGroup var apiKey: APIKeyOptions

    @Option(name: .long, parsing: .unconditional, help: "The room to join.")
    var room: String?

    @Option(name: .long, parsing: .unconditional, help: "Who we are.")
    var identity: String?

    @Option(name: .long, parsing: .unconditional, help: "Seconds to stay; without it until interrupted.")
    var duration: Double?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "A folder for what is received: WAV and Y4M, one file a track; or FILE.webm or FILE.mkv for sound and pictures "
                + "in one, as they come: one file a participant.",
            valueName: "folder|file"))
    var record: String?

    @Flag(name: .long, help: "Use the older signalling mode with two connections.")
    var twoConnections = false

    @OptionGroup var wishes: ReceivingOptions
    @OptionGroup var media: MediaOptions
    @OptionGroup var speech: SpeechOptions
    @OptionGroup var permissions: PermissionOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var listening: ListeningOptions
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "A WAV file that others play over and over, 120 s at most: every sound is scored against it.",
            discussion: "See docs/quality.md; `audio.score` in --json.", valueName: "file"))
    var scoreReference: String?

    @OptionGroup var stats: StatsOption
    @OptionGroup var trust: ClientTrustOptions
    @OptionGroup var connectivity: ConnectivityOptions
    @OptionGroup var srtp: SRTPOption
    @OptionGroup var encryption: EncryptionOption
    @OptionGroup var journalOption: JournalOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        _ = try target()
        try media.codec.check(encryption)
        if let duration, !(0.1...604_800).contains(duration) {
            throw ValidationError("--duration \(duration): use 0.1 to 604800 seconds.")
        }
    }

    /// Where it goes.
    private struct Target {
        var descriptors: any CallDescriptorSource
        var conversation: String
        /// Who we say that we are; nil where a token says it.
        var identity: String?
    }

    /// The call that is meant. Throws `ValidationError`.
    private func target() throws -> Target {
        guard service.isGiven else {
            if provider == .openTokLike { return try openTokTarget() }
            guard session == nil else { throw ValidationError("--session needs --provider opentok.") }
            let endpoint = try ServerURL.signalling(url)
            let descriptor = CallDescriptor(
                callId: room ?? "call", conversationId: room ?? "call", provider: .liveKit,
                serviceProviderCallId: room ?? "", endpoint: endpoint, credentials: .init(token: try access()))
            return Target(descriptors: FixedDescriptorSource(descriptor), conversation: descriptor.conversationId)
        }
        let others = [
            ("--url", url != nil), ("--room", room != nil), ("--token", tokens.setting.isGiven),
            ("--session", session != nil), ("--provider", provider != .liveKitLike),
        ].filter(\.1)
        guard others.isEmpty else {
            let names = others.map(\.0).joined(separator: ", ")
            throw ValidationError("--server and --conversation say where the call is; leave out \(names).")
        }
        guard let identity, !identity.isEmpty else {
            throw ValidationError("--identity is needed: the server makes a token for that name.")
        }
        let (server, credentials, conversation) = try service.resolve(apiKey)
        return Target(
            descriptors: ServerDescriptorSource(server: server, credentials: credentials, trust: try trust.trust),
            conversation: conversation, identity: identity)
    }

    /// A session of the OpenTok-style dialect. Throws `ValidationError`.
    private func openTokTarget() throws -> Target {
        guard let session, !session.isEmpty else {
            throw ValidationError("--session is needed: the id that /session/create of the server's API gives.")
        }
        guard room == nil else {
            throw ValidationError("--room is LiveKit's; name an OpenTok-style session by --session.")
        }
        let descriptor = CallDescriptor(
            callId: session, conversationId: session, provider: .openTok, serviceProviderCallId: session,
            endpoint: try ServerURL.service(url), credentials: .init(token: try openTokAccess(session)))
        return Target(descriptors: FixedDescriptorSource(descriptor), conversation: session)
    }

    private func openTokAccess(_ session: String) throws -> String {
        if tokens.setting.isGiven, let token = try tokens.setting.resolve() { return token }
        let (key, secret) = try apiKey.required()
        guard let identity, !identity.isEmpty else {
            throw ValidationError("--identity is needed: a token is made for that name; or give --token.")
        }
        guard let token = OpenTokAccess.token(key: key, secret: secret, session: session, identity: identity) else {
            throw ValidationError(
                "--session \(session): no token can be made for it with that key; is it a session of that project?")
        }
        Secrets.note(token)
        return token
    }

    /// The token to show: the given one, one of our own, or that of the environment. Throws `ValidationError`.
    private func access() throws -> String {
        let isMinted = !tokens.setting.isGiven && (apiKey.isGiven || identity != nil)
        if !isMinted, let token = try tokens.setting.resolve() { return token }
        let (key, secret) = try apiKey.resolve()
        let missing = [("--key", key), ("--secret", secret), ("--room", room), ("--identity", identity)]
            .filter { $0.1?.isEmpty ?? true }.map(\.0)
        guard missing.isEmpty, let key, let secret, let room, let identity else {
            throw ValidationError("Give --token, or mint one: \(APIKeyOptions.missing(missing))")
        }
        let token = AccessToken.join(
            room: room, identity: identity, key: key, secret: secret, now: Int64(Date().timeIntervalSince1970))
        Secrets.note(token)
        return token
    }

    func run() async throws {
        output.bootstrapLogging()
        try Descriptors.require()
        Interruption.begin()
        let devices = DeviceWatch()
        let plan = try await permissions.plan(for: media.wanted)
        let published = try media.publications(plan.publishes, devices, speech)
        let containers = try record.flatMap { try ContainerRecordings(path: $0) }
        if let record, containers == nil { try RecordingFolder.prepare(record) }
        let reference = try scoreReference.map { try ReferenceSound(wav: $0) }
        let statsLog = try stats.open()
        let speaker = try listening.openSpeaker(devices)
        let journal = try journalOption.open()
        let begun = MediaTime.now
        let target = try target()
        var configuration = CallBridge.Configuration(
            descriptors: target.descriptors,
            providers: [.liveKitLike(mode: twoConnections ? .twoConnections : .automatic), .openTokLike])
        configuration.media.dtlsBackend = srtp.dtls
        configuration.media.srtpBackend = srtp.srtp
        configuration.namedArea = service.area
        configuration.streaming = wishes.streaming
        configuration.trust = try trust.trust
        configuration.media.srtpProfiles = srtp.profiles
        try connectivity.apply(to: &configuration.media)
        configuration.media.frameEncryption = try encryption.frameEncryption()
        // Whatever others send in this room is to be judged.
        configuration.media.acceptsAllCodecs = configuration.media.frameEncryption == nil
        configuration.media.playout.video = wishes.videoPlayout
        let bridge = CallBridge(configuration: configuration)
        let heard = try await Hearing.begin(
            on: bridge, speaker: speaker, greeting: listening.greeting.map(speech.greeting))
        let joined = try await Interruption.unless { [noSubscribe = wishes.noSubscribe] in
            try await bridge.join(
                conversation: target.conversation, as: target.identity, subscribesAutomatically: !noSubscribe)
        }
        guard let call = joined else {
            try? speaker?.close(devices)
            return try print(.neverJoined(identity, journal.finish()))
        }
        heard?.play(call)
        let name = await call.localParticipant.identity
        let follower = CallFollower(
            CallScribe(CallFollower.record(call.descriptor, initiator: name), journal: journal), identity: name)
        follower.begin()
        let participant = AgentParticipant(
            name, call: call, begun: begun, keepsAudio: false, recordTo: containers == nil ? record : nil,
            containers: containers, wishes: wishes, follower: follower, reference: reference)
        let progress = Progress(isQuiet: output.json)
        var report: RunReport
        var watch: IndicatorWatch?
        do {
            let printed: @Sendable (String) -> Void = { progress.print($0.printable) }
            let indicator = try IndicatorWatch(
                call, begun: begun, picture: listening.pip, line: listening.indicator && !output.json ? printed : nil)
            watch = indicator
            await indicator.start()
            report = try await JoinRun(
                participant, call: call, published: published, duration: duration, journal: journal,
                follower: follower, data: data, subscribesAutomatically: !wishes.noSubscribe, stats: statsLog
            ).run(progress: progress)
            report.media = PublishedReport(plan)
            if let sentence = report.media?.sentence { report.fail(.forbidden, sentence) }
            let (shown, failure) = await indicator.finish()
            report.indicator = shown
            if let failure { report.fail(.output, "\(failure)") }
            if let heard { note(heard, devices, in: &report) }
            for failure in devices.failures { report.fail(.device, failure) }
        } catch {
            await call.leave()
            _ = await watch?.finish()
            try? speaker?.close(devices)
            throw error
        }
        await bridge.shutdown()
        try print(report)
    }

    private func print(_ report: RunReport) throws {
        if output.json { JSONOutput.print(report) } else { StandardOutput.report(JoinSummary().text(report)) }
        if !report.ok { throw ExitCode(report.status.rawValue) }
    }

    private func note(_ heard: Hearing, _ devices: DeviceWatch, in report: inout RunReport) {
        do throws(MediaError) { report.greeting = try heard.end(devices) } catch { report.fail(.output, "\(error)") }
    }
}

/// What a server may speak.
enum JoinProvider: String, CaseIterable, ExpressibleByArgument {
    case liveKitLike = "livekit"
    case openTokLike = "opentok"
}

/// What `join` publishes.
struct MediaOptions: ParsableArguments {
    @Option(name: .long, parsing: .unconditional, help: "Publish a sine of that many hertz.")
    var tone: Double?

    @Flag(
        name: .long,
        help: "The tone beeps at each full second of the clock that test cards show: a recording then tells its skew.")
    var beep = false

    @Option(name: .long, parsing: .unconditional, help: "Publish a WAV file, over and over.")
    var wav: String?

    @Option(name: .long, parsing: .unconditional, help: "Publish synthesised speech.")
    var say: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Publish what a microphone hears: pulse or pulse:SOURCE.", valueName: "device"))
    var mic: SoundDevice?

    @Option(name: .long, parsing: .unconditional, help: "Publish a moving test card, WxH@FPS.")
    var testCard: PictureFormat?

    @Flag(name: .long, help: "Send the picture in several sizes (simulcast); from 480 pixels on the longer side.")
    var simulcast = false

    @Option(name: .long, parsing: .unconditional, help: "Publish a Y4M file, over and over.")
    var y4m: String?

    @OptionGroup var codec: VideoCodecOption

    func validate() throws {
        if [tone != nil, wav != nil, say != nil, mic != nil].count(where: { $0 }) > 1 {
            throw ValidationError("--tone, --wav, --say and --mic exclude each other: one sound can be published.")
        }
        if beep, tone == nil { throw ValidationError("--beep needs a tone: give --tone HERTZ.") }
        if simulcast, testCard == nil, y4m == nil {
            throw ValidationError("--simulcast needs a picture: give --test-card or --y4m.")
        }
        if case .file(let path) = mic { throw ValidationError("--mic \(path): publish a file with --wav.") }
        if testCard != nil, y4m != nil {
            throw ValidationError("--test-card and --y4m exclude each other: one picture can be published.")
        }
        if let tone, !(20...20_000).contains(tone) { throw ValidationError("--tone \(tone): use 20 to 20000 hertz.") }
    }

    /// What is to be published.
    var wanted: PublishedMedia {
        PublishedMedia(
            audio: tone != nil || wav != nil || say != nil || mic != nil, video: testCard != nil || y4m != nil)
    }

    /// The media to publish, opened now, so that a file that can't be read is told before anything is joined.
    ///
    /// - Parameters:
    ///   - allowed: nothing else is opened.
    ///   - devices: is told when one is lost.
    ///   - speech: whose voice speaks.
    func publications(
        _ allowed: PublishedMedia, _ devices: DeviceWatch, _ speech: SpeechOptions
    ) throws -> [LocalMedia] {
        (allowed.hasAudio ? try sounds(devices, speech) : []) + (allowed.hasVideo ? try pictures() : [])
    }

    private func sounds(_ devices: DeviceWatch, _ speech: SpeechOptions) throws -> [LocalMedia] {
        var result: [LocalMedia] = []
        if let tone { result.append(beep ? .beeps(tone) : .testTone(tone)) }
        if let wav {
            let source = try WAVSource(path: wav, repeats: true)
            result.append(.audio(name: "wav") { source })
        }
        if let say {
            let source = try speech.speech(say)
            result.append(.audio(name: "speech") { source })
        }
        if case .pulse(let device) = mic {
            let source = try PulseMicrophone(device: device) { devices.note($0) }
            result.append(.audio(name: "microphone") { source })
        }
        return result
    }

    private func pictures() throws -> [LocalMedia] {
        var result: [LocalMedia] = []
        if let card = testCard {
            result.append(
                .testCard(
                    LocalMedia.VideoFormat(width: card.width, height: card.height, frameRate: card.frameRate),
                    sender: UInt16.random(in: 1...UInt16.max), simulcast: simulcast, codec: codec.videoCodec))
        }
        if let y4m {
            let source = try Y4MSource(path: y4m, repeats: true)
            result.append(
                .video(name: "y4m", bitrate: 1_000_000, simulcast: simulcast, codec: codec.videoCodec) { source })
        }
        return result
    }
}
