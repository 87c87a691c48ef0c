/// All calls of an exchange, and the devices that can be reached. A value like its calls.
public struct RingSwitchboard: Sendable {
    /// Bounds on what devices can make the exchange hold.
    public struct Limits: Sendable, Hashable {
        /// Calls at a time.
        public var calls = 1_000
        /// Devices at a time.
        public var devices = 10_000
        /// Devices of one person.
        public var devicesPerPerson = 10
        /// Calls at a time that one person has placed.
        public var callsPerPerson = 20
        /// People that one call rings for, over all groups.
        public var peoplePerCall = 100
        /// Bytes of an id or a name, in UTF-8.
        public var name = 256

        /// The default bounds.
        public init() {}
    }

    /// What calls are made with.
    public struct Settings: Sendable {
        /// The account that calls belong to.
        public var accountId = ""
        /// The provider of new calls.
        public var serviceProviderType = "LIVEKIT"
        /// How long things take.
        public var timing = RingExchange.Timing()
        /// Bounds.
        public var limits = Limits()

        /// The defaults.
        public init() {}
    }

    /// Devices of a person that are not attached and can be woken: they are rung, too.
    package var sleeping: @Sendable (String) -> [String] = { _ in [] }
    private let settings: Settings
    private var calls: [String: RingExchange] = [:]
    private var devices: [String: [String]] = [:]
    private var deviceCount = 0

    /// A switchboard without calls.
    public init(settings: Settings = .init()) { self.settings = settings }

    /// The ids of the calls that have not ended.
    public var callIds: [String] { calls.keys.sorted() }

    /// A call that has not ended.
    public subscript(call: String) -> RingExchange? { calls[call] }

    /// When `advance` is to be called at the latest.
    public var nextDeadline: CallTime? { calls.values.compactMap(\.nextDeadline).min() }

    // MARK: Devices

    /// A device can be reached from now on; what rings for its person rings there, too. Throws where there are too many.
    public mutating func arrived(
        _ device: RingDevice, at now: CallTime, into actions: inout [RingExchange.Action]
    ) throws(RingRefusal) {
        try check(device)
        var tokens = devices[device.personId] ?? []
        if !tokens.contains(device.deviceToken) {
            guard deviceCount < settings.limits.devices, tokens.count < settings.limits.devicesPerPerson else {
                throw RingRefusal(.tooMany, "too many devices are waiting for calls")
            }
            tokens.append(device.deviceToken)
            devices[device.personId] = tokens
            deviceCount += 1
        }
        for id in callIds { event(id, &actions) { $0.deviceArrived(device, at: now, into: &$1) } }
    }

    /// A device can no longer be reached. Calls that ring there go on: it may come back.
    public mutating func gone(_ device: RingDevice) {
        guard var tokens = devices[device.personId], let index = tokens.firstIndex(of: device.deviceToken) else {
            return
        }
        tokens.remove(at: index)
        devices[device.personId] = tokens.isEmpty ? nil : tokens
        deviceCount -= 1
    }

    /// Attached devices first.
    private var reachable: (String) -> [String] {
        { [devices, sleeping] in (devices[$0] ?? []) + sleeping($0) }
    }

    // MARK: Calls

    /// Something that a device says. Returns the id of the call that it was about.
    ///
    /// - Parameter newID: makes an id for a call that is placed without one.
    public mutating func receive(
        _ command: RingCommand, from device: RingDevice, at now: CallTime, newID: () -> String,
        into actions: inout [RingExchange.Action]
    ) throws(RingRefusal) -> String {
        try check(device)
        if case .place(let request) = command {
            return try place(request, from: device, at: now, newID: newID, into: &actions)
        }
        guard calls[command.callId] != nil else {
            if case .answer(let id) = command {
                actions.append(.signal(.refused(callId: id, .unknownCall), to: device))
                return id
            }
            throw RingRefusal(.unknownCall, "there is no call \"\(command.callId)\"; it may have ended")
        }
        let reachable = reachable
        event(command.callId, &actions) {
            $0.receive(command, from: device, at: now, devices: reachable, into: &$1)
        }
        return command.callId
    }

    private mutating func place(
        _ request: RingRequest, from device: RingDevice, at now: CallTime, newID: () -> String,
        into actions: inout [RingExchange.Action]
    ) throws(RingRefusal) -> String {
        try check(request)
        guard calls.count < settings.limits.calls else { throw RingRefusal(.tooMany, "too many calls at a time") }
        let own = calls.values.count { $0.record.initiatorPersonId == device.personId }
        guard own < settings.limits.callsPerPerson else {
            throw RingRefusal(
                .tooMany, "\(device.personId) has placed \(own) calls that have not ended; end one of them first")
        }
        var request = request
        if request.callId.isEmpty { request.callId = newID() }
        guard calls[request.callId] == nil else {
            throw RingRefusal(.invalid, "the call \"\(request.callId)\" has been placed already")
        }
        // What happens in a conversation is written into its call: there is one at a time.
        if let other = call(ofConversation: request.conversationId) {
            throw RingRefusal(
                .conversationBusy,
                "the conversation \"\(request.conversationId)\" has the call \"\(other)\"; wait for its end, or name another"
            )
        }
        var record = CallRecord(
            id: request.callId, accountId: settings.accountId, conversationId: request.conversationId,
            serviceProviderCallId: request.conversationId, serviceProviderType: settings.serviceProviderType,
            initiatorPersonId: device.personId, callType: request.callType)
        record.accountId = settings.accountId
        calls[request.callId] = RingExchange(
            request, record: record, callerDevice: device, mandatory: Set(request.mandatory), timing: settings.timing)
        let reachable = reachable
        event(request.callId, &actions) { $0.initiate(at: now, devices: reachable, into: &$1) }
        return request.callId
    }

    /// Something happens to a call that does not come from a device: somebody connects, enters, leaves, it ends.
    public mutating func event(
        _ call: String, _ actions: inout [RingExchange.Action],
        _ event: (inout RingExchange, inout [RingExchange.Action]) -> Void
    ) {
        guard var exchange = calls[call] else { return }
        calls[call] = nil
        event(&exchange, &actions)
        if !exchange.isEnded { calls[call] = exchange }
    }

    /// The call of a conversation that has not ended.
    public func call(ofConversation conversation: String) -> String? {
        calls.values.first { $0.record.conversationId == conversation }?.record.id
    }

    /// Time has passed.
    public mutating func advance(to now: CallTime, into actions: inout [RingExchange.Action]) {
        let reachable = reachable
        for id in callIds {
            event(id, &actions) { $0.advance(to: now, devices: reachable, into: &$1) }
        }
    }

    // MARK: Checks

    private func check(_ device: RingDevice) throws(RingRefusal) {
        guard isName(device.personId), isName(device.deviceToken) else {
            throw RingRefusal(.invalid, "person and device have 1 to \(settings.limits.name) bytes of UTF-8")
        }
    }

    private func check(_ request: RingRequest) throws(RingRefusal) {
        let people = request.groups.reduce(0) { $0 + $1.count }
        guard (1...settings.limits.peoplePerCall).contains(people), request.groups.count <= people else {
            throw RingRefusal(
                .invalid, "a call rings for 1 to \(settings.limits.peoplePerCall) people, and no group is empty")
        }
        guard request.mandatory.count <= settings.limits.peoplePerCall, request.mandatory.allSatisfy(isName) else {
            throw RingRefusal(
                .invalid, "at most \(settings.limits.peoplePerCall) people are mandatory, each with a name")
        }
        guard request.groups.allSatisfy({ $0.allSatisfy(isName) }), isName(request.conversationId),
            request.callId.utf8.count <= settings.limits.name,
            request.callerName.utf8.count <= settings.limits.name
        else { throw RingRefusal(.invalid, "ids and names have 1 to \(settings.limits.name) bytes of UTF-8") }
    }

    private func isName(_ text: String) -> Bool { (1...settings.limits.name).contains(text.utf8.count) }
}

/// Why the exchange does not do what a device says.
public struct RingRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Kind: Sendable, Hashable {
        /// The command itself.
        case invalid
        /// There is no such call.
        case unknownCall
        /// A bound is reached.
        case tooMany
        /// The conversation has a call already.
        case conversationBusy
    }

    /// What is wrong.
    public var kind: Kind
    /// One sentence.
    public var message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
