import Foundation
import LiveKitProtocol
import WebClient

/// Whoever asks for access to a project at Google: the file that the console makes of it.
struct ServiceAccount: Sendable {
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// Seconds for which an assertion holds; more are refused.
    private static let life: Int64 = 3_600

    let email: String
    let keyID: String
    let key: SigningKey
    /// Where assertions are exchanged for access tokens.
    let tokenURL: URLComponents

    /// What is wrong with a file, and what would be right.
    struct Fault: Error, Hashable {
        var words: String
    }

    /// Reads the file's JSON.
    init(json: [UInt8]) throws(Fault) {
        guard let object = (try? JSONSerialization.jsonObject(with: Data(json))) as? [String: Any] else {
            throw Fault(words: "it is no JSON object; give a service account's file as it was downloaded")
        }
        func text(_ name: String) throws(Fault) -> String {
            guard let text = object[name] as? String, (1...16_384).contains(text.utf8.count) else {
                throw Fault(words: "it has no \"\(name)\"; give a service account's file as it was downloaded")
            }
            return text
        }
        guard object["type"] as? String == "service_account" else {
            throw Fault(
                words: "its \"type\" is not \"service_account\"; make a key for a service account and give its file")
        }
        email = try text("client_email")
        keyID = try text("private_key_id")
        let url = try text("token_uri")
        guard let parts = Self.tokenURL(url) else {
            throw Fault(words: "its \"token_uri\" is no https URL; give a service account's file as it was downloaded")
        }
        tokenURL = parts
        do { key = try SigningKey(pem: Array(try text("private_key").utf8), for: .rs256) } catch let fault
            as SigningKeyFault
        {
            throw Fault(words: "of its \"private_key\": \(fault.words)")
        } catch {
            throw error as? Fault ?? Fault(words: "its \"private_key\" can't be read")
        }
    }

    /// An assertion is as good as a password: without TLS it goes to this machine alone.
    private static func tokenURL(_ text: String) -> URLComponents? {
        guard let url = URLComponents(string: text), let address = try? WebAddress(url), url.user == nil,
            url.fragment == nil
        else { return nil }
        return address.isSecure || ["127.0.0.1", "[::1]", "::1", "localhost"].contains(url.host ?? "") ? url : nil
    }

    /// The assertion (RFC 7523 section 3) of a time, seconds since 1970; nil where libcrypto refuses to sign.
    func assertion(now: Int64) -> String? {
        key.token(
            header: ["kid": .string(keyID), "typ": .string("JWT")],
            claims: [
                "iss": .string(email), "scope": .string(Self.scope), "aud": .string(tokenURL.string ?? ""),
                "iat": .integer(now), "exp": .integer(now + Self.life),
            ])
    }

    /// The body of the exchange (RFC 7523 section 2.1).
    static func form(_ assertion: String) -> [UInt8] {
        Array("grant_type=\(grant.replacingOccurrences(of: ":", with: "%3A"))&assertion=\(assertion)".utf8)
    }
}

/// The access tokens that we got, and when another is asked for: a value. Times are seconds since 1970.
struct AccessTokens {
    /// No exchange follows one that has failed sooner.
    static let pause: Int64 = 5
    /// No exchange for a refused token follows another one sooner.
    static let patience: Int64 = 60

    private var current: (token: String, until: Int64)?
    private var failure: (words: String, at: Int64)?
    private var isRefused = false
    /// When one was last got because another had been refused.
    private var replaced: Int64?

    /// What is to be done for a token.
    enum Step: Hashable {
        case use(String)
        case exchange
        /// The last exchange has failed, and the next one is not due yet.
        case fail(String)
    }

    func next(now: Int64) -> Step {
        if let current, !isRefused, now < current.until { return .use(current.token) }
        if let failure, (0..<Self.pause).contains(now - failure.at) { return .fail(failure.words) }
        return .exchange
    }

    /// Takes an answer of the exchange (RFC 6749 section 5.1): a token is used until a tenth of its life is left, five minutes at
    /// most.
    mutating func note(status: Int, body: [UInt8], now: Int64) {
        guard status == 200, let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any],
            let token = object["access_token"] as? String, (1...16_384).contains(token.utf8.count),
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return note(failure: "the exchange of our assertion was answered with status \(status)", now: now) }
        let life = min(max((object["expires_in"] as? NSNumber)?.int64Value ?? 3_600, 1), 86_400)
        current = (token, now + life - min(300, (life + 9) / 10))
        failure = nil
        if isRefused { replaced = now }
        isRefused = false
    }

    mutating func note(failure words: String, now: Int64) { failure = (words, now) }

    /// The carrier wants none of that one: another is asked for at once, but for those that were got for that reason less than a
    /// minute ago. Whether it is.
    mutating func refuse(_ token: String, now: Int64) -> Bool {
        guard let current, current.token == token else { return true }
        if let replaced, (0..<Self.patience).contains(now - replaced) { return false }
        isRefused = true
        return true
    }
}
