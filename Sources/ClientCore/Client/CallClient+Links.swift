public import AccessPolicy
import CallBridge
import ClientModel

extension CallClient {
    /// What happens to a link, before anything is asked of it: the handler of the environment decides. A page inside a page that is below the
    /// service's URL, or allowed by a pattern, may be loaded without asking.
    public nonisolated func decide(onLink url: String, in place: LinkPlace = .navigation) async -> LinkDecision {
        await links.decide(url, in: place, within: trust.policy)
    }

    /// The latest decisions, at most 256, without queries.
    public nonisolated var linkDecisions: [LinkRecord] { links.log }
}

extension ServerTrust {
    /// With what a client's configuration says. Throws `ClientError` that names the field.
    func completed(by configuration: ClientConfiguration) throws(ClientError) -> ServerTrust {
        var trust = self
        do throws(URLPolicyFault) { trust = allowing(try configuration.urlPolicy()) } catch {
            throw ClientError(.invalidConfiguration, "allowedURLs: \(error)", field: "allowedURLs")
        }
        do throws(PinFault) {
            if let pins = try configuration.certificatePins() { trust = trust.pinned(to: pins) }
        } catch {
            throw ClientError(.invalidConfiguration, "pins: \(error)", field: "pins")
        }
        return trust
    }

    /// The policy of the client.
    var policy: URLPolicy? { roots.policies.last }
}
