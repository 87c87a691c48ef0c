import Foundation

/// Who carries notifications to a device.
public enum PushCarrier: String, Sendable, Hashable, Codable, CaseIterable {
    /// Apple's push notification service, or what is shaped like it.
    case apns = "APNS"
    /// Firebase Cloud Messaging, or what is shaped like it.
    case fcm = "FCM"
}

/// `PUT .../notifications/devices/{device}/tokens/{channel}`: a device can be reached.
package struct PushTokenRequest: Sendable, Hashable, Codable {
    package var token: String
    package var carrier: PushCarrier
    /// `Encrypted`, `EncryptedService`, `None` or `NotEncrypted`.
    package var encryption: String

    package init(token: String, carrier: PushCarrier, encryption: NotificationEncryption) {
        self.token = token
        self.carrier = carrier
        self.encryption = encryption.rawValue
    }

    /// Why it can't be used; nil where it can.
    package var fault: String? {
        guard NotificationEncryption(name: encryption) != nil else {
            return "encryption: use Encrypted, EncryptedService or None"
        }
        switch carrier {
        case .apns:
            // It stands in a path.
            let isHex = token.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
            }
            return isHex && (2...400).contains(token.utf8.count)
                ? nil : "token: one of APNs has 2 to 400 hexadecimal digits"
        case .fcm:
            let isVisible = token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            return isVisible && (1...PushTokenRegistry.longest).contains(token.utf8.count)
                ? nil : "token: one of FCM has 1 to \(PushTokenRegistry.longest) visible characters of ASCII"
        }
    }
}

/// A key as the service hands it out, over TLS.
package struct NotificationKeyAnswer: Sendable, Hashable, Codable {
    package var id: String
    /// Base64 of 32 bytes.
    package var key: String

    package init(_ key: NotificationKey) {
        id = key.id
        self.key = Data(key.bytes).base64EncodedString()
    }

    /// Nil where it is none.
    package var value: NotificationKey? {
        Data(base64Encoded: key).flatMap { NotificationKey(id: id, bytes: [UInt8]($0)) }
    }
}
