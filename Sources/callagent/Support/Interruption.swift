import Dispatch
import Foundation

/// SIGINT and SIGTERM, as something to wait for.
enum Interruption {
    /// Returns at the first interrupt, or when the task is cancelled. A second interrupt ends the process at once.
    static func wait() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let queue = DispatchQueue(label: "callagent.signals")
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                signal(number, SIG_DFL)
                continuation.finish()
            }
            source.resume()
            return source
        }
        for await _ in stream {}
        for source in sources { source.cancel() }
    }
}
