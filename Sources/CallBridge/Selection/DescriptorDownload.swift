import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Downloads what describes calls.
enum DescriptorDownload {
    /// Answers are small; a larger one is somebody else's.
    private static let maximumAnswer = 1024 * 1024

    /// Status and body; nil where that is no answer of HTTP, or far too large a one.
    ///
    /// - Parameter place: what people call the server, for the error.
    static func fetch(_ request: URLRequest, from place: String) async throws(CallError) -> (Int, Data)? {
        do {
            let (data, response) = try await load(request).get()
            guard let status = (response as? HTTPURLResponse)?.statusCode, data.count <= maximumAnswer else {
                return nil
            }
            return (status, data)
        } catch {
            throw CallError(
                .network, .unreachable, "\(place) does not answer (\(error.localizedDescription)); is it running?")
        }
    }

    /// The beginning of an answer, for people.
    static func excerpt(_ data: Data) -> String {
        String(String(decoding: data.prefix(300), as: UTF8.self).map { $0.isNewline ? " " : $0 })
    }

    /// The answer, or an error after twelve seconds at the latest: a server's demand for other credentials can leave
    /// the request of Foundation on Linux waiting for ever.
    private static func load(_ request: URLRequest) async -> Result<(Data, URLResponse), any Error> {
        await withCheckedContinuation { continuation in
            let answer = PendingAnswer(continuation)
            let task = URLSession.shared.dataTask(with: request) { data, response, error in
                if let data, let response {
                    answer.give(.success((data, response)))
                } else {
                    answer.give(.failure(error ?? URLError(.badServerResponse)))
                }
            }
            task.resume()
            Task {
                try? await Task.sleep(for: .seconds(12))
                answer.give(.failure(URLError(.timedOut)))
                task.cancel()
            }
        }
    }
}

/// Resumes a continuation with the first of several answers.
private final class PendingAnswer: Sendable {
    typealias Answer = Result<(Data, URLResponse), any Error>
    private let continuation: Mutex<CheckedContinuation<Answer, Never>?>

    init(_ continuation: CheckedContinuation<Answer, Never>) { self.continuation = Mutex(continuation) }

    func give(_ answer: sending Answer) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: answer)
    }
}
