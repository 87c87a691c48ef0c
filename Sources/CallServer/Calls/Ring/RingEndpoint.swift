import CallModel
import Foundation
import LiveKitProtocol
import NIOCore
import NIOHTTP1
import RTCTransport
import RTCWire

/// Ringing over HTTP. Two paths, both for one device of one person:
///
///     GET  /callbridge/v1/ring/events?person=P&device=D     server-sent events: what the exchange says to the device
///     POST /callbridge/v1/ring/commands?person=P&device=D   one command as a JSON object; answers {"callId": "..."}
///
/// Credentials are an API key and its secret (HTTP basic authentication), which speak for everybody, or an access token,
/// which speaks for its identity and its room only. Answers: 400 for what can't be read, 403 for missing and wrong credentials,
/// 404 for a call that is not there, 409 for a conversation that has a call already, 429 where a bound is reached. There is never a demand for credentials: nobody could be asked.
struct RingEndpoint: Sendable {
    static let eventsPath = "/callbridge/v1/ring/events"
    static let commandsPath = "/callbridge/v1/ring/commands"
    /// Bytes of a command.
    private static let longestCommand = 64 * 1024

    let hub: RingHub
    /// API key to secret.
    let keys: [String: String]
    /// Whether a call that was not rung is under way in a conversation's room.
    let isBusy: @Sendable (String) -> Bool
    private let pace: RingPace
    /// Between two signs of life.
    var keepAlive = TimeAmount.seconds(10)

    /// - Parameter clock: what the rates of calls and commands are measured by.
    init(
        hub: RingHub, keys: [String: String], isBusy: @escaping @Sendable (String) -> Bool = { _ in false },
        clock: @escaping @Sendable () -> Instant = { MonotonicClock.now() }
    ) {
        self.hub = hub
        self.keys = keys
        self.isBusy = isBusy
        pace = RingPace(clock: clock)
    }

    func add(to router: inout HTTPRouter) {
        router.events(Self.eventsPath) { open($0) }
        let gate = HTTPBodyGate(bytes: Self.longestCommand) { request in
            do throws(RingHTTPFault) {
                _ = try device(request)
                return nil
            } catch {
                return error.response
            }
        }
        router.any(Self.commandsPath, body: gate) { command($0) }
    }

    // MARK: Events

    private func open(_ request: HTTPRequest) -> HTTPEventDecision {
        let device: RingDevice
        let signals: AsyncStream<RingSignal>
        do throws(RingHTTPFault) {
            device = try self.device(request)
            guard pace.admitsAnything(of: device.personId) else { throw Self.tooOften(device) }
            signals = try hub.attached(device)
        } catch {
            return .refuse(error.response)
        }
        return .accept { stream in
            stream.keepAlive(every: keepAlive)
            let reader = Task {
                for await signal in signals {
                    stream.send(event: signal.kind.rawValue, data: Self.json(signal))
                }
                stream.close()
            }
            // Ends the device's attachment, too.
            stream.closed.whenComplete { _ in reader.cancel() }
        }
    }

    private static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    // MARK: Commands

    private func command(_ request: HTTPRequest) -> HTTPResponse {
        guard request.method == .POST else {
            var response = HTTPResponse(.methodNotAllowed, "commands are posted")
            response.fields["Allow"] = "POST"
            return response
        }
        do throws(RingHTTPFault) {
            let caller = try caller(request)
            let device = try device(request, caller)
            let command = try Self.read(request.body)
            try admit(command, from: device, caller)
            let id = try hub.take(command, from: device)
            return .json(Array(Self.json(["callId": id]).utf8))
        } catch {
            return error.response
        }
    }

    /// A token lets its holder ring for the conversation that is its room, and for no other: what happens in that room is
    /// written into the call. And nobody takes what all others need.
    private func admit(_ command: RingCommand, from device: RingDevice, _ caller: Caller) throws(RingHTTPFault) {
        guard pace.admits(command, of: device.personId) else { throw Self.tooOften(device) }
        guard case .place(let request) = command else { return }
        if case .person(_, let room) = caller, room != request.conversationId {
            throw RingHTTPFault(
                .forbidden, "the access token is not for this conversation; take one whose room is the conversation")
        }
        guard !isBusy(request.conversationId) else {
            throw RingHTTPFault(.conflict, "there is a call in this conversation already; join it, or wait for its end")
        }
    }

    private static func tooOften(_ device: RingDevice) -> RingHTTPFault {
        RingHTTPFault(.tooManyRequests, "\(device.personId) asks too often; try again in some seconds")
    }

    private static func read(_ body: ByteBuffer) throws(RingHTTPFault) -> RingCommand {
        do {
            return try JSONDecoder().decode(RingCommand.self, from: Data(body.readableBytesView))
        } catch {
            throw RingHTTPFault(
                .badRequest, "the body is no ring command; write it as {\"type\": \"answer\", \"callId\": \"...\"}")
        }
    }

    // MARK: Who

    /// Whom the credentials speak for.
    private enum Caller {
        case everybody
        /// One person, in one room.
        case person(String, room: String?)
    }

    private func device(_ request: HTTPRequest) throws(RingHTTPFault) -> RingDevice {
        try device(request, try caller(request))
    }

    private func device(_ request: HTTPRequest, _ caller: Caller) throws(RingHTTPFault) -> RingDevice {
        var identity: String?
        if case .person(let name, _) = caller { identity = name }
        guard let person = request["person"] ?? identity, let token = request["device"] else {
            throw RingHTTPFault(.badRequest, "person and device are needed")
        }
        if let identity, identity != person {
            throw RingHTTPFault(.forbidden, "the access token is not this person's")
        }
        return RingDevice(personId: person, deviceToken: token)
    }

    private func caller(_ request: HTTPRequest) throws(RingHTTPFault) -> Caller {
        if let (key, secret) = request.basicCredentials {
            let expected = keys[key]
            // An unknown key is compared with as much as a wrong secret.
            guard AccessToken.isSame(expected ?? "-" + secret.dropFirst(), secret), expected != nil else {
                throw RingHTTPFault(.forbidden, "the API key or its secret is wrong")
            }
            return .everybody
        }
        guard let token = request.bearerToken else {
            throw RingHTTPFault(.forbidden, "an API key and its secret, or an access token, are needed")
        }
        do {
            let claims = try AccessToken.verify(token, secrets: keys, now: Date().timeIntervalSince1970)
            return .person(claims.identity, room: claims.video?.room)
        } catch {
            throw RingHTTPFault(.forbidden, error.description)
        }
    }
}

/// Why a request about ringing is refused.
private struct RingHTTPFault: Error {
    var response: HTTPResponse

    init(_ status: HTTPResponseStatus, _ text: String) { response = HTTPResponse(status, text) }

    init(_ refusal: RingRefusal) {
        switch refusal.kind {
        case .invalid: self.init(.badRequest, refusal.message)
        case .unknownCall: self.init(.notFound, refusal.message)
        case .tooMany: self.init(.tooManyRequests, refusal.message)
        case .conversationBusy: self.init(.conflict, refusal.message)
        }
    }
}

extension RingHub {
    fileprivate func attached(_ device: RingDevice) throws(RingHTTPFault) -> AsyncStream<RingSignal> {
        do { return try attach(device) } catch { throw RingHTTPFault(error) }
    }

    fileprivate func take(_ command: RingCommand, from device: RingDevice) throws(RingHTTPFault) -> String {
        do { return try send(command, from: device) } catch { throw RingHTTPFault(error) }
    }
}
