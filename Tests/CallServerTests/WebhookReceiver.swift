import LiveKitProtocol
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1

@testable import CallServer

/// A webhook receiver whose answers follow a script.
final class WebhookReceiver: Sendable {
    struct Request: Sendable {
        var contentType: String
        var authorization: String
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private struct State {
        var requests: [Request] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var answer: @Sendable (Int) -> HTTPResponseStatus?
    }

    private let state: NIOLockedValueBox<State>

    /// - Parameter answer: the status for the n-th request, from 0; nil never answers it.
    init(_ answer: @escaping @Sendable (Int) -> HTTPResponseStatus? = { _ in .ok }) {
        state = NIOLockedValueBox(State(answer: answer))
    }

    var router: HTTPRouter {
        var router = HTTPRouter()
        router.any(
            "/hooks", body: HTTPBodyGate(bytes: 2 << 20),
            later: { [self] request, eventLoop in
                note(request).map { eventLoop.makeSucceededFuture($0) } ?? eventLoop.makePromise().futureResult
            })
        return router
    }

    var requests: [Request] { state.withLockedValue { $0.requests } }

    /// The bodies as events.
    var events: [Livekit_WebhookEvent] { requests.compactMap { try? Livekit_WebhookEvent(wireJSON: $0.text) } }

    /// Waits until so many requests have come.
    func count(_ count: Int) async -> [Request] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLockedValue { state in
                guard state.requests.count < count else { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
        return requests
    }

    private func note(_ request: HTTPRequest) -> HTTPResponse? {
        let (ready, status) = state.withLockedValue { state in
            let status = state.answer(state.requests.count)
            state.requests.append(
                Request(
                    contentType: request.headers.first(name: "content-type") ?? "",
                    authorization: request.authorization ?? "", body: Array(request.body.readableBytesView)))
            let count = state.requests.count
            let ready = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return (ready, status)
        }
        for waiter in ready { waiter.continuation.resume() }
        return status.map { HTTPResponse($0, "") }
    }
}
