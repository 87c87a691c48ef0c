import Foundation
import RTCCore

/// Why a sealed notification is not opened.
public enum NotificationFault: Error, Sendable, Hashable {
    /// It is none of ours.
    case foreign
    /// Not as an envelope is built, or too long.
    case malformed
    /// Of a version that we don't know.
    case unknownVersion(UInt8)
    /// Sealed with a key that we don't have, or no longer.
    case unknownKey(String)
    /// It does not hold: another key, or changed on its way.
    case notAuthentic
    /// It came too late.
    case expired
    /// It came before.
    case replayed
}

/// A sealed notification, as Base64 in a payload.
///
/// ```
/// version = 1 (1) | length of the key's id (1) | the key's id | nonce (12) | ciphertext | tag (16)
/// ```
/// AES-256-GCM; what stands before the nonce is authenticated with it. The plaintext is a `NotificationContent` as JSON.
package enum NotificationEnvelope {
    package static let version: UInt8 = 1
    /// Bytes of an envelope: what APNs takes is less.
    package static let longest = 8_192

    /// Base64. Nil where the content can't be sealed.
    package static func seal(
        _ content: NotificationContent, with key: NotificationKey,
        nonce: [UInt8] = SecureRandom.bytes(AESGCM.nonceLength)
    ) -> String? {
        guard let plain = try? JSONEncoder().encode(content), let cipher = try? AESGCM(key: key.bytes) else {
            return nil
        }
        let header = [version, UInt8(key.id.utf8.count)] + Array(key.id.utf8)
        var output = [UInt8](repeating: 0, count: plain.count + AESGCM.tagLength)
        let isSealed = Array(plain).withUnsafeBytes { plain in
            nonce.withUnsafeBytes { nonce in
                header.withUnsafeBytes { header in
                    output.withUnsafeMutableBytes { cipher.seal(plain, nonce: nonce, authenticating: header, into: $0) }
                }
            }
        }
        return isSealed ? Data(header + nonce + output).base64EncodedString() : nil
    }

    package static func open(
        _ text: String, keys: NotificationKeyring, now: Int64
    ) throws(NotificationFault) -> NotificationContent {
        guard text.utf8.count <= longest, let data = Data(base64Encoded: text) else { throw .malformed }
        let bytes = [UInt8](data)
        guard let first = bytes.first else { throw .malformed }
        guard first == version else { throw .unknownVersion(first) }
        guard bytes.count > 2, case let length = Int(bytes[1]), (1...64).contains(length),
            bytes.count >= 2 + length + AESGCM.nonceLength + AESGCM.tagLength
        else { throw .malformed }
        let header = Array(bytes[..<(2 + length)])
        let id = String(decoding: header.dropFirst(2), as: UTF8.self)
        guard let key = keys.key(id, now: now) else { throw .unknownKey(id) }
        let rest = bytes.dropFirst(header.count)
        let plain = try open(
            Array(rest.dropFirst(AESGCM.nonceLength)), nonce: Array(rest.prefix(AESGCM.nonceLength)), header, key)
        guard let content = try? JSONDecoder().decode(NotificationContent.self, from: Data(plain)),
            (1...128).contains(content.id.utf8.count)
        else { throw .malformed }
        return content
    }

    private static func open(
        _ sealed: [UInt8], nonce: [UInt8], _ header: [UInt8], _ key: NotificationKey
    ) throws(NotificationFault) -> [UInt8] {
        guard let cipher = try? AESGCM(key: key.bytes) else { throw .notAuthentic }
        var plain = [UInt8](repeating: 0, count: sealed.count - AESGCM.tagLength)
        let isOpen = sealed.withUnsafeBytes { sealed in
            nonce.withUnsafeBytes { nonce in
                header.withUnsafeBytes { header in
                    plain.withUnsafeMutableBytes { cipher.open(sealed, nonce: nonce, authenticating: header, into: $0) }
                }
            }
        }
        guard isOpen else { throw .notAuthentic }
        return plain
    }
}
