import LiveKitProtocol

/// What we have said of ourselves during the call: a new session is told again. A value.
struct LocalMetadata: Sendable, Hashable {
    private(set) var name: String?
    private(set) var metadata: String?
    private(set) var attributes: [String: String] = [:]

    /// One change of it.
    enum Change: Sendable, Hashable {
        case name(String)
        case metadata(String)
        case attributes([String: String])
    }

    mutating func apply(_ change: Change) {
        switch change {
        case .name(let name): self.name = name
        case .metadata(let metadata): self.metadata = metadata
        case .attributes(let changed): attributes.merge(changed) { $1 }
        }
    }

    /// The message that makes one change; what stays is said as it is, because empty means nothing to some servers and
    /// something to others.
    static func request(
        _ change: Change, to local: Livekit_ParticipantInfo, number: UInt32
    ) -> Livekit_UpdateParticipantMetadata {
        var request = Livekit_UpdateParticipantMetadata()
        request.requestID = number
        request.name = local.name
        request.metadata = local.metadata
        switch change {
        case .name(let name): request.name = name
        case .metadata(let metadata): request.metadata = metadata
        case .attributes(let changed): request.attributes = changed
        }
        return request
    }

    /// Whether the server shows the change.
    static func shows(_ local: Livekit_ParticipantInfo, _ change: Change) -> Bool {
        switch change {
        case .name(let name): local.name == name
        case .metadata(let metadata): local.metadata == metadata
        case .attributes(let changed): changed.allSatisfy { local.attributes[$0.key] ?? "" == $0.value }
        }
    }

    /// What a new session does not show yet; nil where it shows everything.
    func restoration(of local: Livekit_ParticipantInfo) -> Livekit_UpdateParticipantMetadata? {
        let missing = attributes.filter { local.attributes[$0.key] ?? "" != $0.value }
        let isComplete = (name ?? local.name) == local.name && (metadata ?? local.metadata) == local.metadata
        guard !isComplete || !missing.isEmpty else { return nil }
        return .with {
            $0.name = name ?? local.name
            $0.metadata = metadata ?? local.metadata
            $0.attributes = missing
        }
    }
}
