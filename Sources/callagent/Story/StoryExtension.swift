import Foundation
import ScenarioCore
import Subprocess

/// The process beside the visitor's application: `callagent notification decrypt`, with the keys that both share.
struct StoryExtension: Sendable {
    /// What it showed in place of a notification.
    struct Shown: Sendable, Hashable {
        /// `opened` where it could be read.
        var outcome: String
        var title: String
        var body: String
        /// `MESSAGE`, `INCOMING_CALL` or `MISSED_CALL`.
        var kind: String
    }

    /// The program; this one.
    var program: String
    /// So many processes at a time: whoever shows something passes it.
    var gate: StoryGate

    /// Starts the process and gives it a payload. Throws `StoryFailure`.
    ///
    /// - Parameter keys: the folder of preferences.
    func show(_ payload: Data, keys: String) async throws -> Shown {
        // A file and no pipe: a process that ends without reading breaks nothing here.
        guard let input = tmpfile() else { throw StoryFailure(.device, "no file can be made for the payload") }
        defer { fclose(input) }
        guard payload.withUnsafeBytes({ fwrite($0.baseAddress, 1, $0.count, input) }) == payload.count else {
            throw StoryFailure(.device, "the payload can't be written")
        }
        rewind(input)
        let ended: ExecutionResult<Void, BytesOutput, DiscardedOutput>
        do {
            ended = try await Subprocess.run(
                .path(.init(program)), arguments: ["notification", "decrypt", "--keys", keys],
                input: .fileDescriptor(.init(rawValue: fileno(input)), closeAfterSpawningProcess: false),
                output: .bytes(limit: 64 * 1024))
        } catch { throw StoryFailure(.device, "the process can't be run: \(error)") }
        guard ended.terminationStatus.isSuccess, let shown = Self.read(Data(ended.standardOutput)) else {
            let ending =
                switch ended.terminationStatus {
                case .exited(let status): "status \(status)"
                case .signaled(let signal): "signal \(signal)"
                }
            throw StoryFailure(.device, "the process ended with \(ending) and showed nothing that can be read")
        }
        return shown
    }

    /// What the process prints, an object on one line; nil for something else.
    static func read(_ printed: Data) -> Shown? {
        guard let report = try? JSONSerialization.jsonObject(with: printed) as? [String: Any],
            let outcome = report["outcome"] as? String
        else { return nil }
        let shown = report["shown"] as? [String: Any] ?? [:]
        let said = shown["userInfo"] as? [String: Any] ?? [:]
        return Shown(
            outcome: outcome, title: shown["title"] as? String ?? "", body: shown["body"] as? String ?? "",
            kind: said["kind"] as? String ?? "")
    }
}
