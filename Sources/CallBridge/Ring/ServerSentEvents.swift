import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The client's half of a stream of server-sent events (HTML standard, section 9.2) that carries ring signals.
final class ServerSentEvents: NSObject, URLSessionDataDelegate {
    private struct State {
        var opening: CheckedContinuation<Int, any Error>?
        var parser = EventStreamParser()
    }

    let signals: AsyncStream<RingSignal>
    private let continuation: AsyncStream<RingSignal>.Continuation
    private let request: URLRequest
    private let state = Mutex(State())
    private let session = Mutex<URLSession?>(nil)

    init(_ request: URLRequest) {
        self.request = request
        (signals, continuation) = AsyncStream.makeStream()
        super.init()
    }

    /// Connects, and returns the status of the answer.
    func open() async throws -> Int {
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        self.session.withLock { $0 = session }
        let task = session.dataTask(with: request)
        continuation.onTermination = { _ in session.invalidateAndCancel() }
        return try await withCheckedThrowingContinuation { opening in
            state.withLock { $0.opening = opening }
            task.resume()
        }
    }

    func cancel() { continuation.finish() }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        takeOpening()?.resume(returning: (response as? HTTPURLResponse)?.statusCode ?? 0)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let texts = state.withLock { $0.parser.receive(data) }
        for text in texts {
            // What a newer server says and we don't know is passed over.
            if let signal = try? JSONDecoder().decode(RingSignal.self, from: Data(text)) { continuation.yield(signal) }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        takeOpening()?.resume(throwing: error ?? URLError(.badServerResponse))
        continuation.finish()
        session.finishTasksAndInvalidate()
    }

    private func takeOpening() -> CheckedContinuation<Int, any Error>? {
        state.withLock { state in
            defer { state.opening = nil }
            return state.opening
        }
    }
}
