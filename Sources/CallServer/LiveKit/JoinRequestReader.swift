import LiveKitProtocol

/// Reads the `join_request` of `/rtc/v1`: base64 of a WrappedJoinRequest, whose content may be gzip'ed.
enum JoinRequestReader {
    static func read(_ request: HTTPRequest, into ticket: inout LiveKitTicket) throws(LiveKitRefusal) {
        guard let text = request["join_request"], !text.isEmpty else {
            throw LiveKitRefusal(400, "join_request is required")
        }
        guard let join = SignalReading.joinRequest(text) else {
            throw LiveKitRefusal(400, "cannot unmarshal join request")
        }
        try ticket.describe(metadata: join.metadata, attributes: join.participantAttributes)
        ticket.client = join.clientInfo
        ticket.client.capabilities = join.clientInfo.capabilities.known
        ticket.autoSubscribe = join.connectionSettings.autoSubscribe
        ticket.allowsPause = join.connectionSettings.subscriberAllowPause
        ticket.reconnects = join.reconnect
        ticket.reconnectReason = join.reconnectReason
        ticket.participantID = join.participantSid.isEmpty ? nil : join.participantSid
        ticket.publisherOffer = join.hasPublisherOffer ? join.publisherOffer : nil
        ticket.addTracks = join.addTrackRequests
    }
}

/// Reads the query of `/rtc`.
enum JoinQueryReader {
    /// - Parameter isStrict: attributes that can't be read are an error; otherwise they are as good as none.
    static func read(
        _ request: HTTPRequest, into ticket: inout LiveKitTicket, isStrict: Bool
    ) throws(LiveKitRefusal) {
        ticket.autoSubscribe = request.flag("auto_subscribe") ?? true
        ticket.allowsPause = request.flag("subscriber_allow_pause") ?? false
        ticket.reconnects = request.flag("reconnect") ?? false
        ticket.reconnectReason =
            request["reconnect_reason"].flatMap { Int($0) }.flatMap(Livekit_ReconnectReason.init(rawValue:))
            ?? .rrUnknown
        ticket.participantID = request["sid"].flatMap { $0.isEmpty ? nil : $0 }
        ticket.client = .with {
            $0.sdk = sdks[request["sdk"] ?? ""] ?? .unknown
            $0.version = request["version"] ?? ""
            $0.protocol = Int32(request["protocol"] ?? "") ?? 0
            $0.clientProtocol = Int32(request["client_protocol"] ?? "") ?? 0
            $0.os = request["os"] ?? ""
            $0.osVersion = request["os_version"] ?? ""
            $0.deviceModel = request["device_model"] ?? ""
            $0.browser = request["browser"] ?? ""
            $0.browserVersion = request["browser_version"] ?? ""
            $0.network = request["network"] ?? ""
            $0.capabilities =
                (request["capabilities"] ?? "").split(separator: ",", maxSplits: RequestBounds.features)
                .compactMap { capabilities[String($0)] }.known
        }
        try ticket.describe(attributes: attributes(request, isStrict: isStrict))
        if let name = request["publish"], !name.isEmpty { try ticket.becomePublishOnly(name) }
    }

    /// `attributes` is base64 of a JSON object.
    private static func attributes(
        _ request: HTTPRequest, isStrict: Bool
    ) throws(LiveKitRefusal) -> [String: String] {
        guard let text = request["attributes"], !text.isEmpty else { return [:] }
        if let attributes = Base64.decode(text).flatMap(JSONText.strings) { return attributes }
        guard isStrict else { return [:] }
        throw LiveKitRefusal(400, "cannot decode attributes")
    }

    private static let capabilities: [String: Livekit_ClientInfo.Capability] = [
        "CAP_PACKET_TRAILER": .capPacketTrailer, "CAP_COMPRESSION_DEFLATE_RAW": .capCompressionDeflateRaw,
    ]
    private static let sdks: [String: Livekit_ClientInfo.SDK] = [
        "js": .js, "ios": .swift, "swift": .swift, "android": .android, "flutter": .flutter, "go": .go, "unity": .unity,
        "reactnative": .reactNative, "rust": .rust, "python": .python, "cpp": .cpp, "unityweb": .unityWeb,
        "node": .node,
        "esp32": .esp32,
    ]
}
