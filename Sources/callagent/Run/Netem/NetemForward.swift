import NIOCore
import NIOHTTP1

/// Plain requests to the server behind `netem`. Descriptions in them, as WHIP and WHEP have them, lead media through relays.
struct NetemForward: Sendable {
    let service: NetemProxy.Service
    /// Where relays are bound.
    let host: String

    private static let description = "application/sdp"
    private static let fragment = "application/trickle-ice-sdpfrag"

    func answer(_ request: NetemExchange.Request) async throws -> NetemExchange.Response {
        var request = request
        let kind = Self.kind(request.head.headers)
        let isOffer = request.head.method == .POST && kind == Self.description
        if kind == Self.description || kind == Self.fragment {
            request.body = Array(CandidateRewriter.fromClient(sdp: String(decoding: request.body, as: UTF8.self)).utf8)
        }
        request.head = service.exchange.head(request.head, target: request.head.uri)
        var response = try await service.exchange.send(request)
        let resource = Self.path(request.head.uri)
        hideServer(&response.head.headers)
        guard [Self.description, Self.fragment].contains(Self.kind(response.head.headers)) else { return response }
        let location = response.head.headers.first(name: "Location").map { Self.absolute($0, beside: resource) }
        let name = isOffer ? location ?? resource : resource
        let known = await service.clients.client(name)
        let client: NetemClients.Client
        if let known {
            client = known
        } else {
            client = try await service.clients.join(name, host: host)
            // A session has no connection that could end: it is forgotten when it is silent.
            await service.clients.leave(name)
        }
        let text = String(decoding: response.body, as: UTF8.self)
        response.body = Array(client.candidates.fromServer(sdp: text).utf8)
        return response
    }

    private static func kind(_ headers: HTTPHeaders) -> String {
        let value = headers.first(name: "Content-Type") ?? ""
        return String(value.split(separator: ";").first ?? "").lowercased().filter { $0 != " " }
    }

    /// A resource is asked for here again, wherever the server says that it is.
    private func hideServer(_ headers: inout HTTPHeaders) {
        guard let location = headers.first(name: "Location") else { return }
        for scheme in ["http", "https"] {
            let origin = "\(scheme)://\(service.address.authority)"
            guard location.hasPrefix(origin + "/") else { continue }
            headers.replaceOrAdd(name: "Location", value: String(location.dropFirst(origin.count)))
        }
    }

    /// Without query.
    static func path(_ target: String) -> String { String(target.prefix { $0 != "?" }) }

    /// A location as a path.
    static func absolute(_ location: String, beside path: String) -> String {
        if location.hasPrefix("/") { return Self.path(location) }
        return path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex) + Self.path(location)
    }
}
