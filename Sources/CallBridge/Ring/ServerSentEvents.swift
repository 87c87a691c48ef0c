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

/// Splits a byte stream into the data of its events. Lines end with LF or CRLF; comments and other fields are passed over.
struct EventStreamParser {
    /// Bytes of a line or of an event's data; more is dropped.
    static let longest = 256 * 1024

    private var line: [UInt8] = []
    private var data: [UInt8] = []

    init() {}

    /// The data of the events that are complete with these bytes.
    mutating func receive(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var events: [[UInt8]] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                if line.count < Self.longest { line.append(byte) }
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if let event = endLine() { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    private mutating func endLine() -> [UInt8]? {
        if line.isEmpty {
            defer { data = [] }
            return data.isEmpty ? nil : data
        }
        let field = Array("data:".utf8)
        guard line.starts(with: field) else { return nil }
        var value = line[field.count...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        if !data.isEmpty { data.append(UInt8(ascii: "\n")) }
        if data.count + value.count <= Self.longest { data += value }
        return nil
    }
}
