import CallModel
import ClientModel
import ConversationModel

/// The connection that a client has, or the attempt at one.
struct ClientConnection: Sendable {
    let attempt: Int
    var token: ClientToken
    let task: Task<Void, Never>
    var service: ServiceConnection?
}

/// What an application may change while its client lives.
struct ClientSettings: Sendable {
    var cookies: CookieJar
    var area: NamedArea
    var ui: UIRequests

    init(_ configuration: ClientConfiguration, role: PersonRole) {
        cookies = CookieJar(configuration.cookies)
        area = NamedArea(configuration.namedArea)
        ui = UIRequests(role: role)
    }

    mutating func run(_ isRunning: Bool) {
        cookies.run(isRunning)
        area.run(isRunning)
    }

    func identity(_ token: ClientToken) -> ServiceIdentity {
        ServiceIdentity(
            token: token, cookies: cookies.header(now: CallTime.now.rawValue), area: area.configuration)
    }
}

/// Who waits for what.
struct ClientWaiters {
    private var life: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var conversations: [Int: CheckedContinuation<Conversation, any Error>] = [:]
    private var number = 0

    mutating func addLife(_ continuation: CheckedContinuation<Void, any Error>) -> Int {
        number += 1
        life[number] = continuation
        return number
    }

    mutating func addConversation(_ continuation: CheckedContinuation<Conversation, any Error>) -> Int {
        number += 1
        conversations[number] = continuation
        return number
    }

    mutating func answer(_ waiter: Int, _ answer: Result<Void, ClientError>) {
        life.removeValue(forKey: waiter)?.resume(with: answer.mapError { $0 })
    }

    mutating func answer(_ waiter: Int, _ answer: Result<Conversation, ClientError>) {
        conversations.removeValue(forKey: waiter)?.resume(with: answer.mapError { $0 })
    }
}
