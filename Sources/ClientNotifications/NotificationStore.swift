public import ClientStorage
public import Foundation

/// Keys and what came before, shared by the application and the process beside it that opens notifications for the system.
///
/// Both open the same preference store; a notification that one has opened is a replay to the other. A process that is killed
/// leaves what was before or what is after.
public struct NotificationStore: Sendable {
    /// What is kept, as JSON.
    private struct Kept: Codable {
        var keys = NotificationKeyring()
        var history = NotificationHistory()
    }

    private static let name = "notifications"
    private let preferences: any PreferenceStore

    /// - Parameter preferences: a store that both processes open; an encrypted one where others may read its files.
    public init(_ preferences: any PreferenceStore) { self.preferences = preferences }

    /// The service gave a key; the one before it opens notifications for a while. Throws `PreferenceFault`.
    ///
    /// - Parameter now: milliseconds of Unix time.
    public func rotate(to key: NotificationKey, now: Int64) throws {
        try change { $0.keys.rotate(to: key, now: now) }
    }

    /// Whether a key of that name opens notifications. Throws `PreferenceFault`.
    public func knows(_ id: String, now: Int64) throws -> Bool {
        Self.read(try preferences.value(Self.name)).keys.key(id, now: now) != nil
    }

    /// Forgets all keys and what came before: its user has gone. Throws `PreferenceFault`.
    public func clear() throws { try preferences.set(nil, Self.name) }

    /// Opens a notification of the application's, as `NotificationReceiver.receive`. Throws `NotificationFault`, and
    /// `PreferenceFault` where the store fails.
    public func receive(_ payload: Data, _ encryption: NotificationEncryption, now: Int64) throws -> NotificationContent
    {
        try change { kept in
            var receiver = NotificationReceiver(encryption, keys: kept.keys, history: kept.history)
            let content = try receiver.receive(payload, now: now)
            kept.history = receiver.history
            return content
        }
    }

    /// What a notification extension makes of a payload. Throws `PreferenceFault` where the store fails.
    public func decrypt(_ payload: Data, now: Int64) throws -> NotificationExtensionOutcome {
        try change { kept in
            var receiver = NotificationReceiver(.encryptedService, keys: kept.keys, history: kept.history)
            let outcome = receiver.decrypt(payload, now: now)
            kept.history = receiver.history
            return outcome
        }
    }

    private func change<Result>(_ body: (inout Kept) throws -> Result) throws -> Result {
        try preferences.update(Self.name) { value in
            var kept = Self.read(value)
            let result = try body(&kept)
            value = [UInt8](try JSONEncoder.stable.encode(kept))
            return result
        }
    }

    /// What can't be read is nothing: the service hands keys out again.
    private static func read(_ value: [UInt8]?) -> Kept {
        value.flatMap { try? JSONDecoder().decode(Kept.self, from: Data($0)) } ?? Kept()
    }
}

extension JSONEncoder {
    /// The same value gives the same bytes: what has not changed is not written again.
    fileprivate static var stable: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
