import Foundation
import Synchronization
import Testing

/// The command as a process: what it prints as it prints it, and how it ends.
final class AgentProcess: Sendable {
    /// How a process ended.
    struct Ending: Sendable {
        /// The exit code; 128 and the signal's number where one ended it, as shells say it.
        var code: Int32
        var output: String
        var errors: String
    }

    private let process = Process()
    private let output: LineReader
    private let errors: LineReader
    private let ended: AsyncStream<Int32>

    /// The binary that was built beside the tests.
    static let executable: URL = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("callagent")
    }()

    /// - Parameters:
    ///   - environment: beside the test's own, without its LIVEKIT_ and CALLBRIDGE_ variables.
    ///   - filter: a shell command that reads its standard output; the ending's code is the command's own.
    init(_ arguments: [String], environment: [String: String] = [:], filter: String? = nil) throws {
        let inherited = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("LIVEKIT_") && !$0.key.hasPrefix("CALLBRIDGE_")
        }
        let (endings, continuation) = AsyncStream.makeStream(of: Int32.self)
        ended = endings
        if let filter {
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments =
                ["-c", "set -o pipefail; \"$0\" \"$@\" | \(filter)", Self.executable.path] + arguments
        } else {
            process.executableURL = Self.executable
            process.arguments = arguments
        }
        process.environment = inherited.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        output = LineReader()
        errors = LineReader()
        process.standardOutput = output.pipe
        process.standardError = errors.pipe
        process.terminationHandler = {
            continuation.yield(
                $0.terminationReason == .uncaughtSignal ? 128 + $0.terminationStatus : $0.terminationStatus)
            continuation.finish()
        }
        try process.run()
        output.start()
        errors.start()
    }

    /// Runs a command to its end.
    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Ending {
        try await AgentProcess(arguments, environment: environment).ending()
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// The next line of standard output that `isWanted`; fails where the process ends first.
    func line(where isWanted: (String) -> Bool = { _ in true }) async throws -> String {
        try #require(await output.line(where: isWanted), "standard output ended: \(errors.text)")
    }

    /// The same of standard error.
    func message(where isWanted: (String) -> Bool) async throws -> String {
        try #require(await errors.line(where: isWanted), "standard error ended: \(errors.text)")
    }

    /// How it ended, when it has.
    func ending() async throws -> Ending {
        let code = try #require(await ended.first { _ in true })
        await output.rest()
        await errors.rest()
        return Ending(code: code, output: output.text, errors: errors.text)
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}

/// Reads a pipe on a thread, line by line.
private final class LineReader: Sendable {
    let pipe = Pipe()
    private let collected = Mutex("")
    private let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() { (lines, continuation) = AsyncStream.makeStream() }

    var text: String { collected.withLock { $0 } }

    func start() {
        // The process has its own copy of the writing end.
        try? pipe.fileHandleForWriting.close()
        Thread.detachNewThread { [self] in
            var partial = ""
            while true {
                let data = pipe.fileHandleForReading.availableData
                guard !data.isEmpty else { break }
                let text = String(decoding: data, as: UTF8.self)
                collected.withLock { $0 += text }
                partial += text
                while let end = partial.firstIndex(of: "\n") {
                    continuation.yield(String(partial[..<end]))
                    partial = String(partial[partial.index(after: end)...])
                }
            }
            continuation.finish()
        }
    }

    func line(where isWanted: (String) -> Bool) async -> String? {
        for await line in lines where isWanted(line) { return line }
        return nil
    }

    func rest() async {
        for await _ in lines {}
    }
}

/// A call server of its own, which ends with the test.
struct ServerProcess {
    static let secret = "process-secret-of-32-characters!!"
    static let credentials = ["--key", "devkey", "--secret", secret]

    let process: AgentProcess
    /// `ws://127.0.0.1:port`
    let url: String

    /// Returns when it says that it listens.
    static func start(_ arguments: [String] = []) async throws -> ServerProcess {
        let process = try AgentProcess(["serve", "--port", "0"] + credentials + arguments)
        let line = try await process.line { $0.hasPrefix("listening on ") }
        let url = try #require(line.split(separator: " ").dropFirst(2).first).dropLast()
        return ServerProcess(process: process, url: String(url))
    }

    var service: String { "http" + url.dropFirst(2) }

    func stop() async throws {
        process.send(SIGTERM)
        let ending = try await process.ending()
        #expect(ending.code == 0, "\(ending.errors)")
    }
}
