import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A device's line to the exchange of a server: commands are posted, signals come as server-sent events. A line that
/// breaks is restored by itself, and the exchange then repeats what is still open.
public final class ServerRingTransport: RingTransport {
    /// The device that it speaks for.
    public let device: RingDevice
    private let server: String
    private let credentials: ServiceCredentials
    private let reader = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter server: `http://` or `https://` URL of the service.
    public init(server: String, credentials: ServiceCredentials, device: RingDevice) {
        self.server = server
        self.credentials = credentials
        self.device = device
    }

    /// What the exchange says to the device. Throws `CallError` where it can't be reached at first.
    public func signals() async throws -> AsyncStream<RingSignal> {
        let (signals, continuation) = AsyncStream.makeStream(of: RingSignal.self)
        var events = try await connect()
        let task = Task { [weak self] in
            while !Task.isCancelled {
                for await signal in events { continuation.yield(signal) }
                guard let next = await self?.reconnect() else { break }
                events = next
            }
            continuation.finish()
        }
        reader.withLock { $0 = task }
        continuation.onTermination = { _ in task.cancel() }
        return signals
    }

    /// Posts a command. Throws `CallError`.
    public func send(_ command: RingCommand) async throws -> String {
        var request = try request("commands")
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(command)
        let exchange = RingExchangeRequest()
        let (status, body) = try await exchange.run(request, server: server)
        guard status == 200, let answer = try? JSONDecoder().decode([String: String].self, from: body),
            let id = answer["callId"]
        else { throw refusal(status, body) }
        return id
    }

    /// Ends the line.
    public func close() async {
        let task = reader.withLock { task in
            defer { task = nil }
            return task
        }
        task?.cancel()
    }

    // MARK: Inside

    private func reconnect() async -> AsyncStream<RingSignal>? {
        var wait = 250
        while !Task.isCancelled {
            if let events = try? await connect() { return events }
            guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return nil }
            wait = min(5_000, wait * 2)
        }
        return nil
    }

    private func connect() async throws -> AsyncStream<RingSignal> {
        // The server gives a sign of life every ten seconds.
        let stream = ServerSentEvents(try request("events", timeout: 30))
        let status: Int
        do {
            status = try await stream.open()
        } catch {
            throw CallError(
                .network, .unreachable,
                "the ring service at \(server) does not answer (\(error.localizedDescription)); is it running?")
        }
        guard status == 200 else {
            stream.cancel()
            throw refusal(status, Data())
        }
        return stream.signals
    }

    private func request(_ path: String, timeout: TimeInterval = 10) throws(CallError) -> URLRequest {
        guard var parts = URLComponents(string: server), let scheme = parts.scheme, ["http", "https"].contains(scheme),
            parts.host?.isEmpty == false
        else {
            throw CallError(
                .configuration, .configurationUnavailable,
                "\"\(server)\" is no server URL; write it as http://host:port or https://host")
        }
        parts.path =
            (parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path) + "/callbridge/v1/ring/\(path)"
        parts.queryItems = [
            URLQueryItem(name: "person", value: device.personId),
            URLQueryItem(name: "device", value: device.deviceToken),
        ]
        parts.percentEncodedQuery = parts.percentEncodedQuery?.replacing("+", with: "%2B")
        guard let url = parts.url else {
            throw CallError(.configuration, .configurationUnavailable, "\"\(server)\" is no server URL")
        }
        var request = URLRequest(url: url, timeoutInterval: timeout)
        request.setValue(credentials.authorization, forHTTPHeaderField: "Authorization")
        return request
    }

    private func refusal(_ status: Int, _ body: Data) -> CallError {
        let said = String(decoding: body.prefix(300), as: UTF8.self)
        switch status {
        case 401, 403:
            return CallError(
                .configuration, .providerRefused,
                "the ring service at \(server) refused the API key (HTTP \(status)); check key and secret")
        case 400, 404, 429:
            return CallError(.caller, .invalidArgument, "the ring service refuses this: \(said)")
        default:
            return CallError(
                .provider, .protocolViolation,
                "the ring service at \(server) can't be used: it answered HTTP \(status); is this the right server?")
        }
    }
}

/// One request whose answer is small.
private struct RingExchangeRequest {
    func run(_ request: URLRequest, server: String) async throws(CallError) -> (status: Int, body: Data) {
        do {
            let (data, response) = try await URLSession.shared.data(for: request)
            return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
        } catch {
            throw CallError(
                .network, .unreachable,
                "the ring service at \(server) does not answer (\(error.localizedDescription)); is it running?")
        }
    }
}
