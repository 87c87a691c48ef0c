import Foundation
import TransportSecurity

/// Reads the files with which tokens are made. Faults name the file and the remedy, and nothing of what is in it.
extension CallServerConfiguration.Push.Credentials {
    private static let largest = 64 * 1024

    /// Who makes tokens of them. Throws `CallServerError.configuration`.
    ///
    /// - Parameter now: seconds since 1970.
    func tokens(
        trust: TLSTrust, now: @escaping @Sendable () -> Int64
    ) throws(CallServerError) -> any BearerTokens {
        switch self {
        case .providerKey(let file, let id, let team):
            for (name, text) in [("key's id", id), ("team's id", team)] where !Self.isIdentifier(text) {
                throw .configuration(
                    "the \(name) for APNs, \"\(text.prefix(32))\", is not ten letters and digits; take it from the developer's account"
                )
            }
            let bytes = try Self.read(file, "the key for APNs")
            do {
                let key = try SigningKey(pem: bytes, for: .es256)
                return ProviderTokenSource(ProviderTokens(key, id: id, team: team), now: now)
            } catch {
                throw .configuration("the key for APNs, \(file), can't be used: \(error.words)")
            }
        case .serviceAccount(let file):
            let bytes = try Self.read(file, "the service account for FCM")
            do throws(ServiceAccount.Fault) {
                return AccessTokenSource(try ServiceAccount(json: bytes), trust: trust, now: now)
            } catch {
                throw .configuration("the service account for FCM, \(file), can't be used: \(error.words)")
            }
        }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
            }
    }

    private static func read(_ file: String, _ what: String) throws(CallServerError) -> [UInt8] {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: file)) } catch {
            throw .configuration("\(what), \(file), can't be read; check its path and its permissions")
        }
        guard data.count <= largest else {
            throw .configuration("\(what), \(file), has \(data.count) bytes, which is no such file; check its path")
        }
        return Array(data)
    }
}
