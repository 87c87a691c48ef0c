package import ClientNotifications

/// A device of a person that notifications reach.
package struct PushDevice: Sendable, Hashable {
    package var person: String
    package var device: String

    package init(person: String, device: String) {
        self.person = person
        self.device = device
    }
}

/// One way to a device.
package struct PushTarget: Sendable, Hashable {
    package var device: PushDevice
    package var channel: PushChannel
    package var carrier: PushCarrier
    package var token: String
    package var encryption: NotificationEncryption
    /// Milliseconds of Unix time.
    package var registeredAt: Int64

    package init(
        device: PushDevice, channel: PushChannel, carrier: PushCarrier, token: String,
        encryption: NotificationEncryption, registeredAt: Int64
    ) {
        self.device = device
        self.channel = channel
        self.carrier = carrier
        self.token = token
        self.encryption = encryption
        self.registeredAt = registeredAt
    }
}

/// One notification to one device.
package struct PushOrder: Sendable, Hashable {
    package var target: PushTarget
    package var content: NotificationContent
    /// It is sealed with this; nil sends it plain.
    package var key: NotificationKey?

    package init(target: PushTarget, content: NotificationContent, key: NotificationKey?) {
        self.target = target
        self.content = content
        self.key = key
    }
}

/// A device's keys at the service: the present one, and the one before it, which the device may ask for.
package struct PushKeys: Sendable, Hashable {
    package var current: NotificationKey
    /// Milliseconds of Unix time.
    package var madeAt: Int64
    package var former: NotificationKey?
}

/// Whose devices can be reached, and with which keys. A value; its copy on the disk is `PushTable`.
package struct PushDirectory: Sendable {
    /// Devices of one person; the one that registered longest ago gives way.
    package static let devicesPerPerson = 10
    /// A key that is older is replaced when its device registers, milliseconds.
    static let keyLifetime: Int64 = 7 * 24 * 3_600_000

    private(set) var keys: [PushDevice: PushKeys] = [:]
    private var targets: [String: [PushTarget]] = [:]

    /// Ways to a person's devices.
    package func targets(of person: String) -> [PushTarget] { targets[person] ?? [] }

    /// A person's devices that a call can be sent to: it rings there.
    package func devices(of person: String) -> [String] {
        var devices: [String] = []
        for target in targets(of: person) where !devices.contains(target.device.device) {
            devices.append(target.device.device)
        }
        return devices
    }

    /// A notification to each of a person's devices: a call on its own channel, where the device has one.
    package func orders(_ content: NotificationContent, to person: String, device: String? = nil) -> [PushOrder] {
        devices(of: person).filter { device == nil || $0 == device }.compactMap { device in
            let ways = targets(of: person).filter { $0.device.device == device }
            let remote = ways.first { $0.channel == .remote }
            let call = ways.first { $0.channel == .call }
            guard let target = content.kind == .incomingCall ? call ?? remote : remote else { return nil }
            let key = target.encryption == .none ? nil : keys[target.device]?.current
            guard key != nil || target.encryption == .none else { return nil }
            return PushOrder(target: target, content: content, key: key)
        }
    }

    // MARK: Changes

    mutating func set(_ keys: PushKeys, of device: PushDevice) { self.keys[device] = keys }

    /// A token is of one device: whoever had it before has it no longer.
    mutating func add(_ target: PushTarget) {
        remove { $0.carrier == target.carrier && $0.token == target.token }
        remove { $0.device == target.device && $0.channel == target.channel }
        targets[target.device.person, default: []].append(target)
    }

    mutating func remove(_ isGone: (PushTarget) -> Bool) {
        for (person, ways) in targets where ways.contains(where: isGone) {
            let left = ways.filter { !isGone($0) }
            targets[person] = left.isEmpty ? nil : left
        }
    }

    /// Its keys and ways.
    mutating func forget(_ device: PushDevice) {
        keys[device] = nil
        let left = targets(of: device.person).filter { $0.device != device }
        targets[device.person] = left.isEmpty ? nil : left
    }
}
