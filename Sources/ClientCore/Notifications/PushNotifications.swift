public import ClientNotifications
public import Foundation
public import CallModel
import ClientModel
public import Logging

/// A notification that was opened, and what is done with it.
public struct PushedNotification: Sendable, Hashable {
    /// What it says.
    public let content: NotificationContent
    /// By the visibility table.
    public let presentation: NotificationPresentation
}

/// How a device is reached.
public struct PushSettings: Sendable, Hashable {
    /// The device's name at the service, 1 to 64 letters of ASCII, digits, `-` and `_`. Its ringing (`RingDevice.deviceToken`)
    /// has the same, and it stays: keep it in a preference.
    public var device: String
    /// Who carries notifications to it.
    public var carrier: PushCarrier
    /// How they are kept from the carrier.
    public var encryption: NotificationEncryption

    /// - Parameters:
    ///   - device: its name.
    ///   - carrier: who carries notifications to it.
    ///   - encryption: sealed where nothing is said.
    public init(device: String, carrier: PushCarrier, encryption: NotificationEncryption = .encrypted) {
        self.device = device
        self.carrier = carrier
        self.encryption = encryption
    }
}

/// The notifications of a device: its tokens on their way to the service, the keys on their way back, and what comes.
///
///     let notifications = PushNotifications(settings, store: NotificationStore(preferences))
///     environment.notifications = notifications            // before clients are made
///     await notifications.setToken(token, .remote)         // whenever the system gives one
///     let pushed = try await notifications.receive(payload)
///
/// The application holds it from its start on, before any client: what comes then is opened, and calls ring. Tokens go to the
/// service when a client has started for the first time, and again after what kept them from it.
public actor PushNotifications {
    /// How the device is reached.
    public nonisolated let settings: PushSettings
    /// What was opened, from now on, for one reader.
    public nonisolated let notifications: AsyncStream<PushedNotification>

    private let store: NotificationStore
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private let sink: AsyncStream<PushedNotification>.Continuation
    private var registry: PushTokenRegistry
    private var presence = ApplicationPresence.background
    /// What the service is to know of each channel, where it does not know it yet.
    private var pending: [PushChannel: PushTokenRegistry.Action] = [:]
    private var isSending = false
    /// How often a client has had a connection: what failed on one before the last is tried on the last.
    private var connections = 0
    private weak var client: CallClient?
    private var lines: [PushRingTransport] = []

    /// - Parameters:
    ///   - settings: how the device is reached.
    ///   - store: keys, shared with the process that opens notifications for the system.
    ///   - isEnabled: whether notifications are wanted.
    ///   - logger: gets the facts about push by ids that stay (`PushLogFact`), and no token.
    ///   - now: milliseconds of Unix time.
    public init(
        _ settings: PushSettings, store: NotificationStore, isEnabled: Bool = true,
        logger: Logger = Logger(label: "callbridge.push"),
        now: @escaping @Sendable () -> Int64 = { CallTime.now.rawValue }
    ) {
        self.settings = settings
        self.store = store
        self.logger = logger
        self.now = now
        registry = PushTokenRegistry(isEnabled: isEnabled)
        (notifications, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    deinit { sink.finish() }

    // MARK: The application

    /// The system gave a token, or took it away.
    public func setToken(_ token: String?, _ channel: PushChannel) { perform(registry.set(token, channel)) }

    /// Notifications are wanted, or no longer: then the service forgets the device.
    public func setEnabled(_ isEnabled: Bool) { perform(registry.setEnabled(isEnabled)) }

    /// Where the application is.
    public func setPresence(_ presence: ApplicationPresence) { self.presence = presence }

    /// Opens a notification that came. One about a call rings on every line of `ring(over:)`, whether a client runs or not.
    ///
    /// Throws `NotificationFault`: `foreign` for what is none of ours, others for what is not shown; and `PreferenceFault`. A key
    /// that is not known is asked for, where a client is connected.
    @discardableResult public func receive(_ payload: Data) async throws -> PushedNotification {
        let content: NotificationContent
        do {
            content = try store.receive(payload, settings.encryption, now: now())
        } catch NotificationFault.unknownKey(let id) {
            guard let key = await fetchKey(id) else { throw NotificationFault.unknownKey(id) }
            try keep(key)
            content = try store.receive(payload, settings.encryption, now: now())
        }
        let pushed = PushedNotification(
            content: content, presentation: .decide(content.kind, presence))
        sink.yield(pushed)
        if content.kind == .incomingCall, let offer = content.offer { for line in lines { line.ring(offer) } }
        return pushed
    }

    /// A line for a `RingPhone` that notifications ring on. Its exchange is called when the first call rings: before that nothing
    /// is connected.
    public func ring(over line: any RingTransport) -> PushRingTransport {
        let ringing = PushRingTransport(line)
        lines.removeAll(where: \.isClosed)
        lines.append(ringing)
        return ringing
    }

    // MARK: The service

    /// A client has a connection: what the service does not know yet is told.
    func connected(_ client: CallClient) {
        self.client = client
        connections += 1
        perform(registry.started())
    }

    private func perform(_ actions: [PushTokenRegistry.Action]) {
        for action in actions {
            switch action {
            case .log(let fact): logger.info("\(fact.rawValue)")
            case .send(let channel, _), .delete(let channel, _): pending[channel] = action
            }
        }
        guard !pending.isEmpty, !isSending, client != nil else { return }
        isSending = true
        Task { await sendPending() }
    }

    /// In turn. What is not answered waits for the next connection; what is refused is given up.
    private func sendPending() async {
        defer { isSending = false }
        while let client, let (channel, action) = pending.first {
            let attempted = connections
            do throws(ServiceFault) {
                let answer = try await client.send(request(action, channel))
                if case .send = action { try receiveKey(answer) }
            } catch {
                guard case .refused(let status, let words) = error else {
                    if attempted != connections { continue }
                    return
                }
                logger.warning("a push token was refused", metadata: ["status": "\(status)", "reason": "\(words)"])
            }
            if pending[channel] == action { pending[channel] = nil }
        }
    }

    private func request(_ action: PushTokenRegistry.Action, _ channel: PushChannel) -> ServiceRequest {
        let path = devicePath + "/tokens/" + channel.rawValue.lowercased()
        guard case .send(_, token: let token) = action else {
            return ServiceRequest(part: .notifications, method: .delete, path: path)
        }
        let body = PushTokenRequest(token: token, carrier: settings.carrier, encryption: settings.encryption)
        return ServiceRequest(part: .notifications, method: .put, path: path, body: CallClient.json(body))
    }

    private var devicePath: String { "/devices/" + settings.device.inPath }

    private func receiveKey(_ answer: [UInt8]) throws(ServiceFault) {
        guard let key = Self.key(answer) else {
            throw .refused(status: 200, "the service's answer holds no key; is this the right server?")
        }
        do { try keep(key) } catch {
            // Asked for again when a notification needs it.
            logger.error("a notification key can't be kept", metadata: ["reason": "\(error)"])
        }
    }

    private func fetchKey(_ id: String) async -> NotificationKey? {
        guard let client else { return nil }
        let request = ServiceRequest(part: .notifications, method: .get, path: devicePath + "/keys/" + id.inPath)
        let key = (try? await client.send(request)).flatMap(Self.key)
        return key?.id == id ? key : nil
    }

    private func keep(_ key: NotificationKey) throws {
        let isNew = try !store.knows(key.id, now: now())
        try store.rotate(to: key, now: now())
        if isNew { logger.info("\(PushLogFact.secretReceived.rawValue)") }
    }

    private static func key(_ answer: [UInt8]) -> NotificationKey? {
        (try? JSONDecoder().decode(NotificationKeyAnswer.self, from: Data(answer)))?.value
    }
}

extension NotificationContent {
    /// The call that it tells of, as its exchange would offer it; nil where something of it is missing.
    var offer: RingOffer? {
        guard let callId, let caller = callerId, let type = callType.flatMap(CallType.init(rawValue:)) else {
            return nil
        }
        let until = CallTime(rawValue: expiresAt)
        return RingOffer(
            callId: callId, conversationId: conversationId, callType: type, callerPersonId: caller,
            callerName: title ?? caller, callStartTimestamp: callStartedAt.map(CallTime.init(rawValue:)) ?? until,
            ringsUntil: until)
    }
}
