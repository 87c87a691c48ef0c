import CallModel
import Logging

/// Logs on standard error: what others wrote steers no terminal and forges no line, and secrets that we were given are cut
/// out.
struct PrintableLogHandler: LogHandler {
    private var inner: StreamLogHandler

    init(label: String, level: Logger.Level) {
        inner = StreamLogHandler.standardError(label: label)
        inner.logLevel = level
    }

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = newValue.mapValues(Self.printable) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue.map(Self.printable) }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(Self.printable("\(event.message)"))"
        event.metadata = event.metadata?.mapValues(Self.printable)
        inner.log(event: event)
    }

    private static func printable(_ text: String) -> String { Secrets.cut(from: text).printable }

    private static func printable(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        .string(printable("\(value)"))
    }
}
