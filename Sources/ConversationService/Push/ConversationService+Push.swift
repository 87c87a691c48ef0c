package import ClientNotifications
internal import ConversationModel
import Foundation
import GRDB

extension ConversationService {
    /// How long a notification about a message is of use, milliseconds.
    private static let messageLifetime: Int64 = 24 * 3_600_000
    /// Characters of a message that a notification shows: what carriers take is 4,096 bytes.
    private static let excerpt = 240

    /// Who carries notifications from now on.
    package func setCarrier(_ carry: (@Sendable ([PushOrder]) -> Void)?) { carrier.withLock { $0 = carry } }

    /// A person's devices that a call can be sent to. Asked while it rings: from memory.
    package func pushDevices(of person: String) -> [String] { directory.withLock { $0.devices(of: person) } }

    /// Sends a notification to a person's devices, or one of them.
    package func push(_ content: NotificationContent, to person: String, device: String? = nil) {
        let orders = directory.withLock { $0.orders(content, to: person, device: device) }
        guard !orders.isEmpty else { return }
        carrier.withLock { $0 }?(orders)
    }

    /// Somebody wrote: the others are told, whether a socket of theirs is open or not. A client shows it where it isn't seen.
    func push(_ message: ConversationMessage, _ conversation: Conversation) {
        let text = message.text.count > Self.excerpt ? message.text.prefix(Self.excerpt - 1) + "…" : message.text[...]
        let content = NotificationContent(
            id: "m-\(message.conversationId)-\(message.number)", kind: .message,
            conversationId: message.conversationId, title: message.author, text: String(text),
            expiresAt: message.sentAt + Self.messageLifetime)
        for participant in conversation.participants where participant.personId != message.author {
            push(content, to: participant.personId)
        }
    }

    // MARK: Tokens and keys

    /// A device can be reached; gives the key that its notifications are sealed with. A key that is too old is replaced.
    package func register(
        _ request: PushTokenRequest, _ channel: PushChannel, device name: String, by person: ConversationPerson
    ) async throws(ConversationRefusal) -> NotificationKeyAnswer {
        if let fault = request.fault { throw ConversationRefusal(.invalid, fault) }
        guard let encryption = NotificationEncryption(name: request.encryption) else {
            throw ConversationRefusal(.invalid, "encryption: use Encrypted, EncryptedService or None")
        }
        let device = try Self.device(name, person)
        let target = PushTarget(
            device: device, channel: channel, carrier: request.carrier, token: request.token, encryption: encryption,
            registeredAt: now())
        let now = now()
        return try await transact { db in
            let known = self.directory.withLock { $0.keys[device] }
            let keys =
                try known.flatMap { now - $0.madeAt < PushDirectory.keyLifetime ? $0 : nil } ?? Self.next(known, now)
            let crowd = known == nil ? self.crowdedOut(by: device) : nil
            if let crowd { try PushTable.forget(crowd, db) }
            try PushTable.set(keys, of: device, db)
            try PushTable.add(target, db)
            self.afterwards(db) { directory in
                if let crowd { directory.forget(crowd) }
                directory.set(keys, of: device)
                directory.add(target)
            }
            return NotificationKeyAnswer(keys.current)
        }
    }

    /// A device is not reached that way any more. Without any way its keys are forgotten.
    package func unregister(
        _ channel: PushChannel, device name: String, by person: ConversationPerson
    ) async throws(ConversationRefusal) {
        let device = try Self.device(name, person)
        try await transact { db in
            let left = self.directory.withLock { $0.targets(of: device.person) }
                .filter { $0.device == device && $0.channel != channel }
            try PushTable.remove(device, channel, db)
            if left.isEmpty { try PushTable.forget(device, db) }
            self.afterwards(db) { directory in
                directory.remove { $0.device == device && $0.channel == channel }
                if left.isEmpty { directory.forget(device) }
            }
        }
    }

    /// A key of a device, by its id: the present one or the one before it.
    package func notificationKey(
        _ id: String, device name: String, by person: ConversationPerson
    ) throws(ConversationRefusal) -> NotificationKeyAnswer {
        let device = try Self.device(name, person)
        let keys = directory.withLock { $0.keys[device] }
        guard let key = [keys?.current, keys?.former].compactMap(\.self).first(where: { $0.id == id }) else {
            throw ConversationRefusal(.unknown, "the device has no key \(id.prefix(80)), or no longer")
        }
        return NotificationKeyAnswer(key)
    }

    /// A new key for a device; what is on its way is sealed with the one before.
    package func rotateKey(
        device name: String, by person: ConversationPerson
    ) async throws(ConversationRefusal) -> NotificationKeyAnswer {
        let device = try Self.device(name, person)
        let now = now()
        return try await transact { db in
            guard let known = self.directory.withLock({ $0.keys[device] }) else {
                throw ConversationRefusal(
                    .unknown, "the device \(name.prefix(80)) is not registered; give its token first")
            }
            let keys = try Self.next(known, now)
            try PushTable.set(keys, of: device, db)
            self.afterwards(db) { $0.set(keys, of: device) }
            return NotificationKeyAnswer(keys.current)
        }
    }

    /// A carrier says that nothing is behind a token any more.
    ///
    /// - Parameter since: milliseconds of Unix time; a token that was registered later has come back. Nil: as of now.
    package func prune(_ target: PushTarget, since: Int64?) async throws(ConversationRefusal) {
        try await transact { db in
            let present = self.directory.withLock { $0.targets(of: target.device.person) }
                .first { $0.carrier == target.carrier && $0.token == target.token }
            // Registered again while the notification was on its way: it is another's, or in use again.
            guard let present, present.registeredAt <= max(since ?? target.registeredAt, target.registeredAt) else {
                return
            }
            try PushTable.remove(present.carrier, present.token, db)
            self.afterwards(db) { $0.remove { $0.carrier == present.carrier && $0.token == present.token } }
        }
    }

    // MARK: Parts

    /// Changes what is in memory once it is on the disk.
    private func afterwards(_ db: Database, _ change: @escaping @Sendable (inout PushDirectory) -> Void) {
        db.afterNextTransaction { [self] _ in directory.withLock { change(&$0) } }
    }

    /// The device that gives way where a person has too many.
    private func crowdedOut(by device: PushDevice) -> PushDevice? {
        let directory = directory.withLock { $0 }
        let others = directory.keys.keys.filter { $0.person == device.person }
        guard others.count >= PushDirectory.devicesPerPerson else { return nil }
        let latest = { (other: PushDevice) in
            directory.targets(of: other.person).filter { $0.device == other }.map(\.registeredAt).max() ?? 0
        }
        return others.min { (latest($0), $0.device) < (latest($1), $1.device) }
    }

    private static func next(_ known: PushKeys?, _ now: Int64) throws(ConversationRefusal) -> PushKeys {
        guard let key = NotificationKey.random(id: UUID().uuidString.lowercased()) else {
            throw ConversationRefusal(.unavailable, "no key can be made; try again later")
        }
        return PushKeys(current: key, madeAt: now, former: known?.current)
    }

    private static func device(
        _ name: String, _ person: ConversationPerson
    ) throws(ConversationRefusal) -> PushDevice {
        do { try ConversationBounds.check(clientId: name) } catch {
            throw ConversationRefusal(.invalid, "device: use 1 to 64 letters of ASCII, digits, - and _")
        }
        return PushDevice(person: person.id, device: name)
    }
}
