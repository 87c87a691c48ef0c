import Foundation
import WebClient

/// The client's half of a stream of server-sent events (HTML standard, section 9.2) that carries ring signals.
enum ServerSentEvents {
    /// The signals that come, until the line ends. Who stops listening ends the line.
    static func signals(of stream: WebStream) -> AsyncStream<RingSignal> {
        let (signals, continuation) = AsyncStream.makeStream(of: RingSignal.self)
        let reader = Task {
            var parser = EventStreamParser()
            do {
                for try await bytes in stream.body {
                    for text in parser.receive(bytes) {
                        // What a newer server says and we don't know is passed over.
                        if let signal = try? JSONDecoder().decode(RingSignal.self, from: Data(text)) {
                            continuation.yield(signal)
                        }
                    }
                }
            } catch {
                // However the line broke, it is restored in the same way.
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in
            reader.cancel()
            stream.cancel()
        }
        return signals
    }
}
