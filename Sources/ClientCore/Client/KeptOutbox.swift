import ClientModel
public import ClientStorage
import Foundation

/// Where messages that wait for the service outlive the process: `CallClient.write` returns when its message is kept, and a
/// client that is made later with the same outbox sends it.
///
/// An outbox is one person's at one service, and one client's at a time.
public struct KeptOutbox: Sendable {
    private let store: any PreferenceStore
    private let name: String

    /// - Parameters:
    ///   - store: `EncryptedPreferenceStore` where messages are nobody else's business.
    ///   - name: of the preference; another one for each person.
    public init(in store: any PreferenceStore, name: String = "outbox") {
        self.store = store
        self.name = name
    }

    /// What waited. Throws `ClientError` where it can't be read.
    func messages() throws(ClientError) -> [OutgoingMessage] {
        do {
            guard let bytes = try store.value(name) else { return [] }
            return try JSONDecoder().decode([OutgoingMessage].self, from: Data(bytes))
        } catch let fault as DecodingError {
            throw ClientError(
                .fileFailed, "the outbox \(name) has no messages: \(Self.reason(fault)); remove it, or name another one"
            )
        } catch {
            throw ClientError(.fileFailed, "the outbox \(name) can't be read: \(error)")
        }
    }

    /// Keeps what waits. Throws `ClientError`.
    func keep(_ messages: [OutgoingMessage]) throws(ClientError) {
        do {
            try store.set(messages.isEmpty ? nil : Array(try JSONEncoder().encode(messages)), name)
        } catch {
            throw ClientError(.fileFailed, "the outbox \(name) can't be kept: \(error)")
        }
    }

    private static func reason(_ fault: DecodingError) -> String {
        switch fault {
        case .keyNotFound(let key, _): "\(key.stringValue) is missing"
        case .dataCorrupted: "it is no JSON"
        default: "a field has another type"
        }
    }
}
