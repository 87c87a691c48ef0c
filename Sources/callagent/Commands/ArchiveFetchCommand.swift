import ArgumentParser
import Foundation

/// `callagent archive fetch`: downloads an archive's file.
struct ArchiveFetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Download an archive's file: WebM of a composed one, ZIP of single files.",
        discussion: """
            A download that was broken off goes on where it ended when the same file is asked for again. A file that is there is \
            never overwritten.

            EXAMPLES
              callagent archive fetch --server http://127.0.0.1:7880 --key devkey --secret ... 6f2c... -o call.webm
              callagent archive fetch ... 6f2c... -o call.webm --wait 60     (for one that has just been stopped)

            \(ArchiveServerOptions.exitCodes)
            """)

    @OptionGroup var archive: ArchiveArgument

    @Option(
        name: [.customShort("o"), .customLong("output")], parsing: .unconditional,
        help: ArgumentHelp("The file to write; without it archive.webm or archive.zip.", valueName: "file"))
    var file: String?

    @Option(name: .long, parsing: .unconditional, help: "Seconds to wait until its file is made.")
    var wait = 0.0

    @OptionGroup var server: ArchiveServerOptions

    func validate() throws {
        guard file?.isEmpty != true else { throw ValidationError("--output must not be empty.") }
        guard (0...86_400).contains(wait) else { throw ValidationError("--wait \(wait): use 0 to 86400 seconds.") }
    }

    func run() async throws {
        server.output.bootstrapLogging()
        try Descriptors.require()
        Interruption.begin()
        let api = try server.api()
        let progress = Progress(isQuiet: server.output.json)
        defer { progress.end() }
        var record = try await available(api, progress)
        let path = file ?? (record.outputMode == "individual" ? "archive.zip" : "archive.webm")
        let download = ArchiveDownload(archive: archive.id, path: path) { range in
            if let bytes = try await api.part(of: record.url ?? "", range) { return bytes }
            // Links hold for a while; there is a new one with each answer.
            record = try await api.archive(archive.id)
            guard let bytes = try await api.part(of: record.url ?? "", range) else {
                throw ExitStatus.Failure(status: .environment, message: "the server's links to the file don't hold")
            }
            return bytes
        }
        try await download.run(size: record.size) { done in
            progress.show("\(path): \(Self.megabytes(done)) of \(Self.megabytes(record.size)) MB")
            try Self.checkInterruption(download.partial)
        }
        report(record, path)
    }

    private func available(_ api: ArchiveAPI, _ progress: Progress) async throws -> ArchiveRecord {
        let end = ContinuousClock.now + .seconds(wait)
        while true {
            let record = try await api.archive(archive.id)
            if record.status == "available", record.url != nil { return record }
            guard record.status == "stopped", ContinuousClock.now < end, Interruption.cause == nil else {
                let reason = record.reason.map { $0.isEmpty ? "" : " (\($0))" } ?? ""
                throw ExitStatus.Failure(
                    status: .lost,
                    message: "the archive is \(record.status)\(reason); only one that is available can be fetched")
            }
            progress.show("waiting for the archive's file")
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private static func checkInterruption(_ partial: String) throws {
        guard let cause = Interruption.cause else { return }
        throw ExitStatus.Failure(
            status: .lost, message: "\(cause.rawValue): what has come is in \(partial); fetch again to go on")
    }

    private static func megabytes(_ bytes: Int64) -> String { String(format: "%.1f", Double(bytes) / 1_000_000) }

    private func report(_ record: ArchiveRecord, _ path: String) {
        struct Fetched: Encodable {
            var id: String
            var file: String
            var size: Int64
            var duration: Int64
        }
        guard server.output.json else {
            return StandardOutput.report("\(path.printable): \(record.size) bytes, \(record.duration) s")
        }
        JSONOutput.print(Fetched(id: record.id, file: path, size: record.size, duration: record.duration))
    }
}
