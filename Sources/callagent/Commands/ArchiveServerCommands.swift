import ArgumentParser
import CallArchive
import Foundation

/// The server whose archives are meant.
struct ArchiveServerOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "The server's URL, http://host:port or https://host; without it that of LIVEKIT_URL.")
    var server: String?

    @OptionGroup var apiKey: APIKeyOptions
    @OptionGroup var trust: ClientTrustOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { _ = try api() }

    /// Throws `ValidationError`.
    func api() throws -> ArchiveAPI {
        let (key, secret) = try apiKey.required()
        return try ArchiveAPI(
            server: try ServerURL.service(server), key: key, secret: secret, trust: try trust.trust.roots)
    }

    func print(_ archive: ArchiveRecord) {
        if output.json { JSONOutput.print(archive) } else { StandardOutput.report(archive.line) }
    }

    static let exitCodes = """
        EXIT CODES
          0  it was done
          1  the server knows no such session or archive, or its state forbids it
          2  the command line is wrong, or asks for what the server does not have
          3  the server does not answer, refuses us, or keeps no archives; a file can't be written
        """
}

/// An archive's id on the command line.
struct ArchiveArgument: ParsableArguments {
    @Argument(help: "The archive's id.")
    var id: String

    func validate() throws {
        guard (1...128).contains(id.utf8.count),
            id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        else { throw ValidationError("\"\(id.prefix(64))\" is no archive's id; `archive list` shows them.") }
    }
}

/// `callagent archive start`: begins to record a session.
struct ArchiveStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Have a server record an OpenTok-style session, in which somebody is.",
        discussion: """
            EXAMPLES
              callagent archive start --server http://127.0.0.1:7880 --key devkey --secret ... --session 2_MX4...
              callagent archive start ... --session 2_MX4... --resolution 1280x720 --layout pip --json
              callagent archive start ... --session 2_MX4... --output-mode individual --no-video

            \(ArchiveServerOptions.exitCodes)
            """)

    @Option(name: .long, parsing: .unconditional, help: "The id of the session.")
    var session: String

    @Option(name: .long, parsing: .unconditional, help: "A name for the archive.")
    var name: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: "composed (one file of all) or individual (a file for each, in a ZIP).")
    var outputMode = RoomArchive.OutputMode.composed

    @Option(
        name: .long, parsing: .unconditional,
        help: "auto (all streams) or manual (those that the API adds).")
    var streamMode = RoomArchive.StreamMode.auto

    @Option(
        name: .long, parsing: .unconditional,
        help: "bestFit, pip, verticalPresentation or horizontalPresentation; of a composed archive.")
    var layout: ArchiveLayout?

    @Option(name: .long, parsing: .unconditional, help: "The layout while a screen is shared; with --layout bestFit.")
    var screenLayout: ArchiveLayout?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Of a composed archive: 640x480, 1280x720, 1920x1080, or the same upright.", valueName: "size"))
    var resolution: String?

    @Option(name: .long, parsing: .unconditional, help: "Of a composed archive: bits per second, 100000 to 6000000.")
    var maxBitrate: Int?

    @Option(
        name: .long, parsing: .unconditional, help: "Tells archives of one session apart that run at the same time.")
    var tag: String?

    @Flag(name: .customLong("no-audio"), help: "Record no sound.")
    var isSilent = false

    @Flag(name: .customLong("no-video"), help: "Record no pictures.")
    var isBlind = false

    @OptionGroup var server: ArchiveServerOptions

    func validate() throws {
        guard !isSilent || !isBlind else {
            throw ValidationError("--no-audio and --no-video together leave nothing to record.")
        }
        if let resolution, !ArchiveRecordCommand.sizes.contains(resolution) {
            throw ValidationError(
                "--resolution \(resolution): use one of \(ArchiveRecordCommand.sizes.joined(separator: ", ")).")
        }
        if let maxBitrate, !(100_000...6_000_000).contains(maxBitrate) {
            throw ValidationError("--max-bitrate \(maxBitrate): use 100000 to 6000000 bits per second.")
        }
        guard screenLayout == nil || layout == nil || layout == .bestFit else {
            throw ValidationError("--screen-layout goes with --layout bestFit alone.")
        }
        if outputMode == .individual, layout != nil || screenLayout != nil || resolution != nil || maxBitrate != nil {
            throw ValidationError(
                "--layout, --screen-layout, --resolution and --max-bitrate are for --output-mode composed.")
        }
    }

    var order: ArchiveStartOrder {
        let chosen = layout ?? (screenLayout == nil ? nil : .bestFit)
        return ArchiveStartOrder(
            sessionId: session, name: name, hasAudio: !isSilent, hasVideo: !isBlind, outputMode: outputMode.rawValue,
            streamMode: streamMode.rawValue, resolution: resolution,
            layout: chosen.map { .init(type: $0.rawValue, screenshareType: screenLayout?.rawValue) },
            maxBitrate: maxBitrate, multiArchiveTag: tag)
    }

    func run() async throws {
        server.output.bootstrapLogging()
        try Descriptors.require()
        server.print(try await server.api().start(order))
    }
}

extension RoomArchive.StreamMode: ExpressibleByArgument {}

/// `callagent archive stop`: ends a recording.
struct ArchiveStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "End an archive; its file is made then, see `fetch`.",
        discussion: """
            EXAMPLES
              callagent archive stop --server http://127.0.0.1:7880 --key devkey --secret ... 6f2c...

            \(ArchiveServerOptions.exitCodes)
            """)

    @OptionGroup var archive: ArchiveArgument
    @OptionGroup var server: ArchiveServerOptions

    func run() async throws {
        server.output.bootstrapLogging()
        try Descriptors.require()
        server.print(try await server.api().stop(archive.id))
    }
}

/// `callagent archive list`: the archives that a server knows.
struct ArchiveListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show a server's archives, the newest first.",
        discussion: """
            EXAMPLES
              callagent archive list --server http://127.0.0.1:7880 --key devkey --secret ...
              callagent archive list ... --session 2_MX4... --json

            \(ArchiveServerOptions.exitCodes)
            """)

    @Option(name: .long, parsing: .unconditional, help: "Of this session alone.")
    var session: String?

    @Option(name: .long, parsing: .unconditional, help: "How many of the newest are left out.")
    var offset = 0

    @Option(name: .long, parsing: .unconditional, help: "How many are shown, at most 1000.")
    var count = 50

    @OptionGroup var server: ArchiveServerOptions

    func validate() throws {
        guard (0...1_000_000).contains(offset) else {
            throw ValidationError("--offset \(offset): use 0 to 1000000.")
        }
        guard (1...1_000).contains(count) else { throw ValidationError("--count \(count): use 1 to 1000.") }
    }

    func run() async throws {
        server.output.bootstrapLogging()
        try Descriptors.require()
        let list = try await server.api().archives(session: session, offset: offset, count: count)
        if server.output.json { return JSONOutput.print(list) }
        for archive in list.items { StandardOutput.line(archive.line) }
    }
}

/// `callagent archive delete`: deletes an archive and its files.
struct ArchiveDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an archive and its files from a server.",
        discussion: """
            EXAMPLES
              callagent archive delete --server http://127.0.0.1:7880 --key devkey --secret ... 6f2c...

            \(ArchiveServerOptions.exitCodes)
            """)

    @OptionGroup var archive: ArchiveArgument
    @OptionGroup var server: ArchiveServerOptions

    func run() async throws {
        struct Deleted: Encodable { var deleted: String }
        server.output.bootstrapLogging()
        try await server.api().delete(archive.id)
        if server.output.json {
            JSONOutput.print(Deleted(deleted: archive.id))
        } else {
            StandardOutput.report("\(archive.id): deleted")
        }
    }
}
