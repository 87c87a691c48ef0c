import LiveKitProtocol

/// Bounds on the parts of requests, beyond those on whole messages (`SignalBounds`). All lengths are bytes of UTF-8: what a
/// person takes for one character may be a megabyte.
enum RequestBounds {
    /// Tracks in one list.
    static let tracks = 2_048
    /// Answers to one request that names unknown tracks.
    static let answers = 100
    /// Tracks and participants in a rule of who may subscribe.
    static let rules = 1_024
    /// Attributes of one participant.
    static let attributes = 1_024
    /// Recipients of one data packet.
    static let recipients = 512
    /// Layers, codecs and features of one track, and capabilities of one client.
    static let features = 16

    /// Each name once, no empty ones and at most `tracks` of them.
    static func names(_ lists: [String]...) -> [String] {
        var seen: Set<String> = []
        var result: [String] = []
        for name in lists.joined() where !name.isEmpty && result.count < tracks {
            if seen.insert(name).inserted { result.append(name) }
        }
        return result
    }

    static func attributeBytes(_ attributes: [String: String]) -> Int {
        attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}

extension Livekit_AddTrackRequest {
    /// Whether a track may be announced so.
    func isBounded(name limit: Int) -> Bool {
        let names = [cid, name, stream, sid] + simulcastCodecs.flatMap { [$0.codec, $0.cid] }
        return names.allSatisfy { $0.utf8.count <= limit } && layers.isBounded
            && simulcastCodecs.count <= 4 && simulcastCodecs.allSatisfy { $0.layers.isBounded }
            && audioFeatures.count <= RequestBounds.features && packetTrailerFeatures.count <= RequestBounds.features
    }

    /// What a refusal repeats of a request: which one it was.
    var brief: Livekit_AddTrackRequest {
        .with {
            $0.cid = cid.utf8.count <= 256 ? cid : ""
            $0.sid = sid.utf8.count <= 256 ? sid : ""
            $0.type = type
            $0.source = source
        }
    }
}

extension [Livekit_VideoLayer] {
    fileprivate var isBounded: Bool { count <= 4 && allSatisfy { $0.rid.utf8.count <= 16 } }
}

extension [Livekit_ClientInfo.Capability] {
    /// Those that are known here, each once: others are told of them.
    var known: [Livekit_ClientInfo.Capability] {
        var result: [Livekit_ClientInfo.Capability] = []
        for capability in self {
            if case .UNRECOGNIZED = capability { continue }
            if !result.contains(capability) { result.append(capability) }
        }
        return result
    }
}
