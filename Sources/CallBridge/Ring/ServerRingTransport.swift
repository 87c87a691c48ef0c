import CallModel
import Foundation
public import MediaCore
import Synchronization
import WebClient

/// A device's line to the exchange of a server: commands are posted, signals come as server-sent events. A line that
/// breaks is restored by itself, and the exchange then repeats what is still open.
public final class ServerRingTransport: RingTransport {
    /// The device that it speaks for.
    public let device: RingDevice
    private let server: String
    private let credentials: ServiceCredentials
    private let trust: ServerTrust
    private let clock: MediaClock
    private let reader = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - server: `http://` or `https://` URL of the service.
    ///   - credentials: how we identify ourselves to it.
    ///   - device: the device that it speaks for.
    ///   - trust: whose certificates are believed.
    ///   - clock: what the pauses between attempts are waited for on.
    public init(
        server: String, credentials: ServiceCredentials, device: RingDevice, trust: ServerTrust = .system,
        clock: MediaClock = .system
    ) {
        self.server = server
        self.credentials = credentials
        self.device = device
        self.trust = trust
        self.clock = clock
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
        var request = try request(.post, "commands")
        request.headers.append(("Content-Type", "application/json"))
        request.body = Array(try JSONEncoder().encode(command))
        let exchange: WebAnswer
        do { exchange = try await WebClient.send(request) } catch { throw unreachable(error) }
        guard exchange.status == 200,
            let answer = try? JSONDecoder().decode([String: String].self, from: Data(exchange.body)),
            let id = answer["callId"]
        else { throw refusal(exchange.status, exchange.body) }
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
        var wait = 0.25
        while !Task.isCancelled {
            if let events = try? await connect() { return events }
            guard (try? await clock.wait(seconds: wait)) != nil else { return nil }
            wait = min(5, wait * 2)
        }
        return nil
    }

    private func connect() async throws -> AsyncStream<RingSignal> {
        // The server gives a sign of life every ten seconds.
        let stream: WebStream
        do { stream = try await WebClient.open(request(.get, "events", timeout: 30)) } catch let error as CallError {
            throw error
        } catch {
            throw unreachable(error)
        }
        guard stream.status == 200 else {
            stream.cancel()
            throw stream.status == 404 ? notARingService : refusal(stream.status, [])
        }
        return ServerSentEvents.signals(of: stream)
    }

    private func unreachable(_ error: any Error) -> CallError {
        let place = "the ring service at \(server)"
        guard let failure = error as? WebFailure else { return CallError(.network, .unreachable, "\(place): \(error)") }
        return DescriptorDownload.failure(failure, place)
    }

    private func request(
        _ method: WebRequest.Method, _ path: String, timeout: Double = 10
    ) throws(CallError) -> WebRequest {
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
        var request = WebRequest(method, parts, trust: trust.roots)
        request.timeout = timeout
        request.headers = [("Authorization", credentials.authorization)]
        return request
    }

    private var notARingService: CallError {
        CallError(
            .provider, .protocolViolation,
            "the server at \(server) has no ring service (HTTP 404); is it `callagent serve`, and is the URL right?")
    }

    private func refusal(_ status: Int, _ body: [UInt8]) -> CallError {
        let said = RemoteText.excerpt(body, without: credentials.secrets)
        switch status {
        case 401, 403:
            return CallError(
                .configuration, .providerRefused,
                "the ring service at \(server) refused the API key (HTTP \(status)); check key and secret")
        case 429:
            return CallError(
                .provider, .providerRefused,
                "the ring service at \(server) takes no more calls now (HTTP 429): \(said); try again later")
        case 400, 404:
            return CallError(.caller, .invalidArgument, "the ring service refuses this: \(said)")
        default:
            return CallError(
                .provider, .protocolViolation,
                "the ring service at \(server) can't be used: it answered HTTP \(status); is this the right server?")
        }
    }
}
