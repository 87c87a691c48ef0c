import CallModel
import Logging

/// Writes what others have chosen (identities, rooms, reasons) so that each event stays one line of the log: nobody can
/// forge another one, steer the terminal, or hide one behind control characters.
package struct PrintableLogHandler: LogHandler {
    private var base: any LogHandler
    private let limit: Int
    private let cut: @Sendable (String) -> String

    /// - Parameters:
    ///   - limit: bytes of one text at most.
    ///   - cut: takes secrets out of a text, before anything else is done with it.
    package init(
        _ base: any LogHandler, limit: Int = 1_024, cut: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.base = base
        self.limit = limit
        self.cut = cut
    }

    package var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    package var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue.mapValues(printable) }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue.map(printable) }
    }

    package func log(event: LogEvent) {
        var event = event
        event.message = "\(printable(event.message.description))"
        event.metadata = event.metadata?.mapValues(printable)
        base.log(event: event)
    }

    private func printable(_ text: String) -> String { cut(text).printable(limit: limit) }

    private func printable(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        switch value {
        case .string(let text): .string(printable(text))
        case .stringConvertible(let value): .string(printable(value.description))
        case .dictionary(let values): .dictionary(values.mapValues(printable))
        case .array(let values): .array(values.map(printable))
        }
    }
}

extension Logger {
    /// The same, with values of others made fit for a line.
    var printable: Logger {
        guard !(handler is PrintableLogHandler) else { return self }
        return Logger(label: label) { _ in PrintableLogHandler(handler) }
    }
}
