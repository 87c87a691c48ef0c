import LiveKitProtocol

/// LiveKit Cloud tells under which other addresses a project can be reached. Asked only where the project's own address
/// does not answer, and only there: no other server knows the question.
enum CloudRegions {
    private static let suffix = ".livekit.cloud"

    /// Whether the question makes sense.
    static func areKnown(by server: SignalTarget) -> Bool { server.host.lowercased().hasSuffix(suffix) }

    /// The other addresses, the nearest first; none where the server does not answer the question.
    static func targets(of server: SignalTarget, token: String, timeout: Double) async -> [SignalTarget] {
        guard areKnown(by: server) else { return [] }
        let question = server.at("/settings/regions", query: [])
        guard let answer = await HTTPQuestion.get(question, token: token, timeout: timeout), answer.status == 200 else {
            return []
        }
        return targets(answer.body, of: server)
    }

    /// Reads the answer, a RegionSettings in JSON. Addresses that can't be read are left out, and the server's own.
    static func targets(_ answer: String, of server: SignalTarget) -> [SignalTarget] {
        guard let settings = try? Livekit_RegionSettings(wireJSON: answer) else { return [] }
        return settings.regions.prefix(ServerAddresses.maximumRegions).sorted { $0.distance < $1.distance }
            .compactMap { try? SignalTarget(serverURL: $0.url, trust: server.trust) }
            .filter { $0.address != server.address }
    }
}
