public import ClientModel
import Foundation
import Subprocess

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
        let ended: ExecutionResult<Void, BytesOutput, DiscardedOutput>
        do {
            ended = try await Subprocess.run(
                .path(.init(program)), arguments: .init(arguments), output: .bytes(limit: Self.longest))
        } catch let error as SubprocessError where error.code == .outputLimitExceeded {
            throw ClientError(.authorization, "the token command \(program) prints more than \(Self.longest) bytes")
        } catch {
            throw ClientError(.authorization, "the token command \(program) can't be started; check its path")
        }
        switch ended.terminationStatus {
        case .exited(0): return try TokenText.read(Data(ended.standardOutput), from: "the token command \(program)")
        case .exited(let status):
            throw ClientError(.authorization, "the token command \(program) ended with status \(status)")
        case .signaled(let signal):
            throw ClientError(.authorization, "the token command \(program) was ended by signal \(signal)")
        }
    }

    /// Bytes that no token is longer than.
    private static let longest = 32 * 1024
}
