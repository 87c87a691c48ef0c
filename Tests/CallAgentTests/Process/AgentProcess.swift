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

    private let process: SpawnedProcess
    private let arguments: [String]
    private let output: LineReader
    private let errors: LineReader
    private let ended: AsyncStream<Int32>
    /// Nothing more is sent to a process that has been waited for: its number may be another's.
    private let isOver = Mutex(false)

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
        let environment = inherited.merging(environment) { $1 }
        self.arguments = arguments
        if let filter {
            let command = "set -o pipefail; \"$0\" \"$@\" | \(filter)"
            process = try SpawnedProcess.start(
                "/bin/bash", ["-c", command, Self.executable.path] + arguments, environment: environment)
        } else {
            process = try SpawnedProcess.start(Self.executable.path, arguments, environment: environment)
        }
        output = LineReader(process.output)
        errors = LineReader(process.errors)
        let (endings, continuation) = AsyncStream.makeStream(of: Int32.self)
        ended = endings
        Thread.detachNewThread { [process, weak self] in
            let code = process.wait()
            self?.isOver.withLock { $0 = true }
            continuation.yield(code)
            continuation.finish()
        }
    }

    /// Runs a command to its end.
    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Ending {
        try await AgentProcess(arguments, environment: environment).ending()
    }

    func send(_ signal: Int32) {
        isOver.withLock { if !$0 { kill(process.identifier, signal) } }
    }

    /// The next line of standard output that `isWanted`; fails where the process ends first.
    func line(where isWanted: (String) -> Bool = { _ in true }) async throws -> String {
        try #require(await output.line(where: isWanted), "no such line came; \(account)")
    }

    /// The same of standard error.
    func message(where isWanted: (String) -> Bool) async throws -> String {
        try #require(await errors.line(where: isWanted), "no such line came; \(account)")
    }

    /// How it ended, when it has.
    func ending() async throws -> Ending {
        let code = try #require(await ended.first { _ in true }, "it did not end; \(account)")
        await output.rest()
        await errors.rest()
        return Ending(code: code, output: output.text, errors: errors.text)
    }

    /// What is known of it, for a test that waited in vain.
    private var account: String {
        "\(arguments.first ?? "") said: \(output.text)\non standard error: \(errors.text)"
    }

    deinit { send(SIGKILL) }
}

/// Reads a pipe on a thread, line by line.
private final class LineReader: Sendable {
    private let collected = Mutex("")
    private let lines: AsyncStream<String>

    init(_ descriptor: Int32) {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        Thread.detachNewThread { [weak self] in
            var bytes = [UInt8](repeating: 0, count: 65_536)
            var partial: [UInt8] = []
            while true {
                let count = read(descriptor, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                self?.collect(String(decoding: bytes[..<count], as: UTF8.self))
                partial += bytes[..<count]
                while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: partial[..<end], as: UTF8.self))
                    partial.removeFirst(end + 1)
                }
            }
            close(descriptor)
            continuation.finish()
        }
    }

    var text: String { collected.withLock { $0 } }

    private func collect(_ text: String) { collected.withLock { $0 += text } }

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
