import Foundation
import ScenarioCore

/// How long a side may take to see something.
struct StoryPatience: Sendable {
    var seconds: Double

    /// What `body` gives, within the time. Throws `StoryFailure` that names the side where it gives nothing, fails, or takes
    /// too long; it is then cancelled and not waited for.
    func wait<Value: Sendable>(
        _ side: StorySide, _ what: String, _ body: @escaping @Sendable () async throws -> Value?
    ) async throws -> Value {
        let (answers, sink) = AsyncStream.makeStream(of: Result<Value, StoryFailure>.self)
        let work = Task {
            do {
                let value = try await body()
                sink.yield(value.map { .success($0) } ?? .failure(StoryFailure(side, what)))
            } catch let failure as StoryFailure {
                sink.yield(.failure(failure))
            } catch {
                sink.yield(.failure(StoryFailure(side, "\(what): \(error)")))
            }
        }
        let timer = Task { [seconds] in
            guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
            sink.yield(.failure(StoryFailure(side, "\(what), within \(Int(seconds)) s")))
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        guard let answer = await answers.first(where: { _ in true }) else { throw StoryFailure(side, what) }
        return try answer.get()
    }

    /// Looks every 20 ms until `isTrue`: for what is measured and tells nobody.
    func poll(_ side: StorySide, _ what: @autoclosure () -> String, _ isTrue: () async -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while await !isTrue() {
            guard ContinuousClock.now < end, (try? await Task.sleep(for: .milliseconds(20))) != nil else {
                throw StoryFailure(side, "\(what()), within \(Int(seconds)) s")
            }
        }
    }
}
