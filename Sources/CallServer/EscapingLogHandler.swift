import LiveKitProtocol
import Logging

/// Writes what others have chosen (identities, rooms, reasons) so that each event stays one line of the log: nobody can
/// forge another one, or hide one behind control characters.
struct EscapingLogHandler: LogHandler {
    private var base: any LogHandler

    init(_ base: any LogHandler) { self.base = base }

    var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue.mapValues(Self.escaped) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue.map(Self.escaped) }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(PrintableText.of(event.message.description))"
        event.metadata = event.metadata?.mapValues(Self.escaped)
        base.log(event: event)
    }

    private static func escaped(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        switch value {
        case .string(let text): .string(PrintableText.of(text))
        case .stringConvertible(let value): .string(PrintableText.of(value.description))
        case .dictionary(let values): .dictionary(values.mapValues(escaped))
        case .array(let values): .array(values.map(escaped))
        }
    }
}

extension Logger {
    /// The same, with values of others made fit for a line.
    var escaping: Logger {
        guard !(handler is EscapingLogHandler) else { return self }
        return Logger(label: label) { _ in EscapingLogHandler(handler) }
    }
}
