import Foundation
import TransportSecurity
import WebClient

/// Who makes the tokens that a carrier wants to see.
protocol BearerTokens: Sendable {
    /// Throws `PushFault`.
    func token() async throws -> String
    /// The carrier wants none of that one; gives whether there will be another.
    func refuse(_ token: String) async -> Bool
}

/// Tokens of our own for APNs.
actor ProviderTokenSource: BearerTokens {
    private var tokens: ProviderTokens
    private let now: @Sendable () -> Int64

    /// - Parameter now: seconds since 1970.
    init(_ tokens: ProviderTokens, now: @escaping @Sendable () -> Int64) {
        self.tokens = tokens
        self.now = now
    }

    func token() throws -> String {
        guard let token = tokens.token(now: now()) else { throw PushFault(SigningKeyFault.library.words) }
        return token
    }

    func refuse(_ token: String) -> Bool { tokens.refuse(token, now: now()) }
}

/// Access tokens of a service account's, by an exchange over HTTP.
actor AccessTokenSource: BearerTokens {
    private static let largestAnswer = 64 * 1024
    private let account: ServiceAccount
    private let trust: TLSTrust
    private let now: @Sendable () -> Int64
    private var tokens = AccessTokens()
    /// One exchange for all that wait.
    private var exchange: Task<Void, Never>?

    /// - Parameter now: seconds since 1970.
    init(_ account: ServiceAccount, trust: TLSTrust, now: @escaping @Sendable () -> Int64) {
        self.account = account
        self.trust = trust
        self.now = now
    }

    func token() async throws -> String {
        if case .exchange = tokens.next(now: now()) { await exchanged() }
        switch tokens.next(now: now()) {
        case .use(let token): return token
        case .fail(let words): throw PushFault(words)
        case .exchange: throw PushFault("the access token was over before it was used; set the clock of this machine")
        }
    }

    func refuse(_ token: String) -> Bool { tokens.refuse(token, now: now()) }

    private func exchanged() async {
        if let exchange { return await exchange.value }
        let task = Task { await run() }
        exchange = task
        await task.value
        exchange = nil
    }

    private func run() async {
        guard let assertion = account.assertion(now: now()) else {
            return tokens.note(failure: SigningKeyFault.library.words, now: now())
        }
        var request = WebRequest(.post, account.tokenURL, trust: trust)
        request.headers = [("Content-Type", "application/x-www-form-urlencoded")]
        request.body = ServiceAccount.form(assertion)
        do {
            let answer = try await WebClient.send(request, maximumBody: Self.largestAnswer)
            tokens.note(status: answer.status, body: answer.body, now: now())
        } catch {
            tokens.note(failure: "no access token: \(error)", now: now())
        }
    }
}

/// Shows a token of our own making with each notification.
struct AuthorizedPost: PushPost {
    let post: any PushPost
    let tokens: any BearerTokens

    func send(_ request: PushRequest) async -> PushAnswer {
        do {
            let token = try await tokens.token()
            let answer = await post.send(request.authorized(token))
            // With another one it may be taken at once; what is refused again waits as every other failure does.
            guard answer.refusesToken, await tokens.refuse(token) else { return answer }
            let other = try await tokens.token()
            return other == token ? answer : await post.send(request.authorized(other))
        } catch {
            return .none("\(error)")
        }
    }

    func close() async { await post.close() }
}

extension PushRequest {
    fileprivate func authorized(_ token: String) -> PushRequest {
        var request = self
        request.fields.append(Field(name: "authorization", value: "Bearer \(token)"))
        return request
    }
}

extension PushAnswer {
    /// Whether it is our token that is not wanted: 401, and what APNs says with 403.
    fileprivate var refusesToken: Bool {
        guard status == 403 else { return status == 401 }
        let object = (try? JSONSerialization.jsonObject(with: Data(body.prefix(4_096)))) as? [String: Any]
        return ["ExpiredProviderToken", "InvalidProviderToken"].contains(object?["reason"] as? String ?? "")
    }
}
