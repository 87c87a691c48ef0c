import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1

/// The configuration that a running server answers from; it may be replaced at any time.
final class ServiceConfigurationBox: Sendable {
    private let box: NIOLockedValueBox<ServiceConfiguration>

    init(_ configuration: ServiceConfiguration) { box = NIOLockedValueBox(configuration) }

    var value: ServiceConfiguration {
        get { box.withLockedValue { $0 } }
        set { box.withLockedValue { $0 = newValue } }
    }
}

/// `PUT /callbridge/v1/configuration`: replaces the configuration with the JSON document in the body. Calls that are under
/// way keep their provider; the next one follows the new configuration.
///
/// It takes the API key of an administrator, as HTTP's basic credentials. Answers: 204, 400 with what is wrong in the
/// document, 401 and 403 without the right credentials, 405 for another method.
struct ConfigurationEndpoint: Sendable {
    static let path = "/callbridge/v1/configuration"

    let keyring: APIKeyring
    let service: ServiceConfigurationBox

    /// Bytes of a document; its greetings may hold sound.
    private static let longestDocument = 2 * 1024 * 1024

    func add(to router: inout HTTPRouter) {
        let gate = HTTPBodyGate(bytes: Self.longestDocument) { request in
            if case .refused(let response) = check(request) { response } else { nil }
        }
        router.any(Self.path, body: gate) { respond(to: $0) }
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        switch check(request) {
        case .refused(let response): return response
        case .known(let key, _):
            do {
                let configuration = try ServiceConfiguration(json: Data(request.body.readableBytesView))
                guard isAdministrator(key, in: configuration) else {
                    return HTTPResponse(
                        .badRequest, "administrators: the API key \(key) would lock itself out; name it among them")
                }
                service.value = configuration
                return HTTPResponse(.noContent, "")
            } catch {
                return HTTPResponse(.badRequest, error.description)
            }
        }
    }

    /// Who asks, and whether they may change anything.
    private func check(_ request: HTTPRequest) -> APIKeyring.Verdict {
        let verdict = keyring.check(request)
        guard case .known(let key, _) = verdict else { return verdict }
        guard isAdministrator(key, in: service.value) else {
            return .refused(
                HTTPResponse(
                    .forbidden, "the API key \(key) may not change the configuration; name it in administrators"))
        }
        guard request.method == .PUT else { return .refused(HTTPResponse(.methodNotAllowed, "use PUT")) }
        return verdict
    }

    private func isAdministrator(_ key: String, in configuration: ServiceConfiguration) -> Bool {
        configuration.administrators?.contains(key) ?? (keyring.keys.count == 1)
    }
}
