import Foundation
import Testing

/// A test that runs in a process of its own, for what other tests hold is no part of its memory.
struct OwnProcess {
    /// Set to 1 in that process alone.
    let mark: String

    var isHere: Bool { ProcessInfo.processInfo.environment[mark] != nil }

    /// Runs it, and takes over its failures.
    func run(_ test: String) async throws {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("own-\(UUID().uuidString)")
        try Data().write(to: output)
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--testing-library", "swift-testing", "--filter", test]
        process.environment = ProcessInfo.processInfo.environment.merging([mark: "1"]) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = process.standardOutput
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let text = try String(contentsOf: output, encoding: .utf8)
        #expect(status == 0, "\(text.suffix(4_000))")
        #expect(text.contains("with 1 test"), "the other process has run nothing: \(text.suffix(1_000))")
    }
}
