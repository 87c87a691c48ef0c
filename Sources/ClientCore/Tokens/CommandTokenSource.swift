public import ClientModel
import Foundation

/// A program that prints a token, as plain text or as `{"token": "...", "expiresIn": seconds}`.
public struct CommandTokenSource: TokenSource {
    private let program: String
    private let arguments: [String]

    /// - Parameters:
    ///   - program: its path; no shell is asked.
    ///   - arguments: as they are.
    public init(program: String, arguments: [String] = []) {
        self.program = program
        self.arguments = arguments
    }

    /// What the program prints. Throws `ClientError` that names it, its status where that isn't 0.
    public func token() async throws -> ClientToken {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        let (statuses, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            ended.yield($0.terminationStatus)
            ended.finish()
        }
        do { try process.run() } catch {
            throw ClientError(.authorization, "the token command \(program) can't be started; check its path")
        }
        let data = await Self.read(output.fileHandleForReading)
        for await status in statuses where status != 0 {
            throw ClientError(.authorization, "the token command \(program) ended with status \(status)")
        }
        return try TokenText.read(data, from: "the token command \(program)")
    }

    /// Reads what no token is longer than, and closes: whoever prints more has no reader then, which ends it.
    private static func read(_ handle: FileHandle) async -> Data {
        await withCheckedContinuation { continuation in
            // It waits for a program; the threads of tasks are for others.
            DispatchQueue.global().async {
                var data = Data()
                while data.count < 32 * 1024, let more = try? handle.read(upToCount: 4_096), !more.isEmpty {
                    data += more
                }
                try? handle.close()
                continuation.resume(returning: data)
            }
        }
    }
}
