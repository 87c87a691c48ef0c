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

    func respond(to request: HTTPRequest) -> HTTPResponse {
        switch keyring.check(request) {
        case .refused(let response): return response
        case .known(let key, _):
            guard isAdministrator(key) else {
                return HTTPResponse(
                    .forbidden, "the API key \(key) may not change the configuration; name it in administrators")
            }
        }
        guard request.method == .PUT else { return HTTPResponse(.methodNotAllowed, "use PUT") }
        do {
            service.value = try ServiceConfiguration(json: Data(request.body.readableBytesView))
            return HTTPResponse(.noContent, "")
        } catch {
            return HTTPResponse(.badRequest, error.description)
        }
    }

    private func isAdministrator(_ key: String) -> Bool {
        service.value.administrators?.contains(key) ?? (keyring.keys.count == 1)
    }
}
