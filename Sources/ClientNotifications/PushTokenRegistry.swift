/// The two ways in which a device is reached.
public enum PushChannel: String, Sendable, Hashable, CaseIterable {
    /// Ordinary notifications.
    case remote = "REMOTE"
    /// Incoming calls.
    case call = "VOIP"
}

/// The facts about push that a log tells, by ids that stay.
public enum PushLogFact: String, Sendable, Hashable, CaseIterable {
    case registeredForRemote = "push.registered.remote"
    case registeredForCalls = "push.registered.voip"
    case tokenUpdated = "push.token.updated"
    case tokenInvalidated = "push.token.invalidated"
    case secretReceived = "push.secret.received"
    case emissionPrevented = "push.token.emission-prevented"
    case sentForCall = "push.sent.voip"
    case sentForMissedCall = "push.sent.missed-call"
}

/// A device's push tokens on their way to the service.
///
/// A token counts where it is new and not nil. None is sent before the client was started for the first time: until then the
/// service does not know whose device it is. Switching push off deletes what the service has.
public struct PushTokenRegistry: Sendable, Hashable {
    /// What is to be done.
    public enum Action: Sendable, Hashable {
        /// The service learns of the token.
        case send(PushChannel, token: String)
        /// The service forgets the token.
        case delete(PushChannel, token: String)
        /// A line of the log. It holds no token.
        case log(PushLogFact)
    }

    /// Bytes of a token.
    static let longest = 4_096

    private var tokens: [PushChannel: String] = [:]
    /// What the service has, as far as we know.
    private var sent: [PushChannel: String] = [:]
    private var hasStarted = false
    /// Whether notifications are wanted.
    public private(set) var isEnabled: Bool

    /// - Parameter isEnabled: whether notifications are wanted.
    public init(isEnabled: Bool = true) { self.isEnabled = isEnabled }

    /// The system gave a token, or took it away.
    public mutating func set(_ token: String?, _ channel: PushChannel) -> [Action] {
        guard let token else { return invalidate(channel) }
        guard (1...Self.longest).contains(token.utf8.count), token != tokens[channel] else { return [] }
        tokens[channel] = token
        let registered = channel == .remote ? PushLogFact.registeredForRemote : .registeredForCalls
        return [.log(registered), .log(.tokenUpdated)] + emit(channel)
    }

    /// The token is of no use any more.
    public mutating func invalidate(_ channel: PushChannel) -> [Action] {
        guard tokens.removeValue(forKey: channel) != nil else { return [] }
        let gone = sent.removeValue(forKey: channel)
        return [.log(.tokenInvalidated)] + (gone.map { [.delete(channel, token: $0)] } ?? [])
    }

    /// The client was started.
    public mutating func started() -> [Action] {
        hasStarted = true
        return PushChannel.allCases.flatMap { emit($0, says: false) }
    }

    /// Notifications are wanted, or no longer.
    public mutating func setEnabled(_ isEnabled: Bool) -> [Action] {
        guard self.isEnabled != isEnabled else { return [] }
        self.isEnabled = isEnabled
        if isEnabled { return PushChannel.allCases.flatMap { emit($0, says: false) } }
        defer { sent = [:] }
        return PushChannel.allCases.compactMap { channel in sent[channel].map { .delete(channel, token: $0) } }
    }

    private mutating func emit(_ channel: PushChannel, says: Bool = true) -> [Action] {
        guard isEnabled, let token = tokens[channel], sent[channel] != token else { return [] }
        guard hasStarted else { return says ? [.log(.emissionPrevented)] : [] }
        sent[channel] = token
        return [.send(channel, token: token)]
    }
}
