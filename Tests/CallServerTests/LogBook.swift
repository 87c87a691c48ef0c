import Logging
import NIOConcurrencyHelpers

/// What a server has logged.
final class LogBook: Sendable {
    private struct Handler: LogHandler {
        let book: LogBook
        var metadata = Logger.Metadata()
        var logLevel: Logger.Level

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            book.write("\(event.message) \(metadata.merging(event.metadata ?? [:]) { $1 })")
        }
    }

    private let level: Logger.Level
    private let written = NIOLockedValueBox<[String]>([])
    private let news: AsyncStream<Void>
    private let newsWriter: AsyncStream<Void>.Continuation

    init(_ level: Logger.Level = .notice) {
        self.level = level
        (news, newsWriter) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var logger: Logger { Logger(label: "test") { _ in Handler(book: self, logLevel: self.level) } }
    var count: Int { written.withLockedValue { $0.count } }

    func lines(after index: Int) -> [String] { written.withLockedValue { Array($0[index...]) } }

    func contains(_ text: String, after index: Int = 0) -> Bool { lines(after: index).contains { $0.contains(text) } }

    /// Waits for a line with that text; for one waiter at a time.
    func until(_ text: String) async {
        guard !contains(text) else { return }
        for await _ in news where contains(text) { return }
    }

    private func write(_ line: String) {
        written.withLockedValue { $0.append(line) }
        newsWriter.yield()
    }
}
