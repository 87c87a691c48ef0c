import ArgumentParser
import CallArchive
import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore
import ProviderLiveKitLike

/// `callagent archive`: recordings of rooms and sessions.
struct ArchiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive", abstract: "Record rooms; start, stop, list, fetch and delete a server's archives.",
        discussion: """
            `record` joins a room by itself and writes the files here: for LiveKit's rooms. The others ask a server, by its \
            OpenTok-style REST API, that was started with --archives: for OpenTok-style sessions.
            """,
        subcommands: [
            ArchiveRecordCommand.self, ArchiveStartCommand.self, ArchiveStopCommand.self, ArchiveListCommand.self,
            ArchiveFetchCommand.self, ArchiveDeleteCommand.self,
        ])
}

extension RoomArchive.OutputMode: ExpressibleByArgument {}
extension ArchiveLayout: ExpressibleByArgument {}

/// `callagent archive record`: records a room as a participant whom nobody sees.
struct ArchiveRecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a room from outside, as a participant whom nobody sees: a file a participant, or one of all.",
        discussion: """
            Nothing is decoded while it records. A composed file is made at the end, of what was recorded; where the process is \
            killed before, each participant's own file is there and plays.

            EXAMPLES
              callagent archive record --url ws://127.0.0.1:7880 --key devkey --secret ... --room r --to archives
              callagent archive record ... --output-mode individual --duration 60
              callagent archive record ... --layout verticalPresentation --resolution 1280x720

            \(ExitStatus.table)
            """)

    @Option(
        name: .long, parsing: .unconditional,
        help: "The server's URL, ws://host:port or wss://host; without it that of LIVEKIT_URL.")
    var url: String?

    @OptionGroup var apiKey: APIKeyOptions

    @Option(name: .long, parsing: .unconditional, help: "The room to record.")
    var room: String

    @Option(name: .long, parsing: .unconditional, help: "A folder; each archive has one of its own in it.")
    var to = "archives"

    @Option(name: .long, parsing: .unconditional, help: "composed (one file of all) or individual (a file for each).")
    var outputMode = RoomArchive.OutputMode.composed

    @Option(
        name: .long, parsing: .unconditional,
        help: "bestFit, pip, verticalPresentation or horizontalPresentation; of a composed archive.")
    var layout = ArchiveLayout.bestFit

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Of a composed archive: 640x480, 1280x720, 1920x1080, or the same upright.", valueName: "size"))
    var resolution = "640x480"

    @Option(name: .long, parsing: .unconditional, help: "Seconds to record; without it until interrupted.")
    var duration: Double?

    @OptionGroup var trust: ClientTrustOptions
    @OptionGroup var output: OutputOptions

    static let sizes = ["640x480", "1280x720", "1920x1080", "480x640", "720x1280", "1080x1920"]

    func validate() throws {
        guard Self.sizes.contains(resolution) else {
            throw ValidationError("--resolution \(resolution): use one of \(Self.sizes.joined(separator: ", ")).")
        }
        if let duration, !(0.1...14_400).contains(duration) {
            throw ValidationError("--duration \(duration): use 0.1 to 14400 seconds.")
        }
        _ = try apiKey.required()
    }

    func run() async throws {
        output.bootstrapLogging()
        try Descriptors.require()
        Interruption.begin()
        let endpoint = try ServerURL.signalling(url)
        let (key, secret) = try apiKey.required()
        let recorder = RoomRecorder(endpoint: endpoint, key: key, secret: secret, trust: try trust.trust)
        let (changes, continuation) = AsyncStream.makeStream(of: RoomArchive.self)
        let archive = described()
        let service = ArchiveService(directory: to) { try await recorder.join($0) }
        service.start(archive) { continuation.yield($0) }
        let stopping = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await Interruption.wait() }
                if let duration { group.addTask { try? await Task.sleep(for: .seconds(duration)) } }
                await group.next()
                group.cancelAll()
            }
            service.handle(.stop, of: archive.id)
        }
        var last = archive
        for await change in changes {
            last = change
            if change.isComplete { break }
        }
        stopping.cancel()
        await recorder.shutdown()
        try print(last)
    }

    private func described() -> RoomArchive {
        let sides = resolution.split(separator: "x").compactMap { Int($0) }
        return RoomArchive(
            id: UUID().uuidString.lowercased(), session: room, outputMode: outputMode, width: sides[0],
            height: sides[1], layout: layout, createdAt: Int64(Date().timeIntervalSince1970 * 1_000))
    }

    private func print(_ archive: RoomArchive) throws {
        if output.json {
            JSONOutput.print(archive)
        } else {
            StandardOutput.line(
                "\(to)/\(archive.id): \(archive.state.rawValue), \(archive.duration) s, \(archive.size) bytes, "
                    + archive.reason.printable)
        }
        guard archive.state == .available else {
            throw ExitStatus.Failure(status: .environment, message: archive.reason)
        }
    }
}

/// Joins rooms in order to record them.
struct RoomRecorder: Sendable {
    private let bridge: CallBridge
    private let descriptors: RecorderDescriptors

    init(endpoint: String, key: String, secret: String, trust: ServerTrust) {
        descriptors = RecorderDescriptors(endpoint: endpoint, key: key, secret: secret)
        var configuration = CallBridge.Configuration(
            descriptors: descriptors, providers: [.liveKitLike(mode: .automatic)])
        configuration.trust = trust
        // What is recorded as it comes needs no decoder.
        configuration.media.reception = .counted
        configuration.media.acceptsAllCodecs = true
        bridge = CallBridge(configuration: configuration)
    }

    func join(_ archive: RoomArchive) async throws -> Call {
        try await bridge.join(conversation: archive.session, as: "recorder-\(archive.id)")
    }

    func shutdown() async { await bridge.shutdown() }
}

/// Tokens that let a recorder into any room of a server.
private struct RecorderDescriptors: CallDescriptorSource {
    let endpoint: String
    let key: String
    let secret: String

    func descriptor(_ request: DescriptorRequest) async throws -> CallDescriptor {
        let now = Int64(Date().timeIntervalSince1970)
        var claims = TokenClaims(
            issuer: key, subject: request.identity ?? "recorder", notBefore: now, expires: now + 6 * 3_600)
        var grant = VideoGrant.join(room: request.conversation)
        grant.canPublish = false
        grant.canPublishData = false
        grant.hidden = true
        grant.recorder = true
        claims.video = grant
        let token = AccessToken.mint(claims, secret: secret)
        Secrets.note(token)
        return CallDescriptor(
            callId: request.conversation, conversationId: request.conversation, provider: .liveKit,
            serviceProviderCallId: request.conversation, endpoint: endpoint, credentials: .init(token: token))
    }
}
