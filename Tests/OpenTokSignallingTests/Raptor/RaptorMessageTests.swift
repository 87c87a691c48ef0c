import Testing

@testable import OpenTokSignalling

@Suite struct RaptorMessageTests {
    private static let session = "2_fjEyMzQ1fn4w"
    private static let base = "/v2/partner/12345/session/\(session)"

    private static let video: RaptorChannel = {
        var properties = RaptorChannelProperties(isActive: true, width: 1280, height: 720)
        properties.orientation = 90
        properties.frameRate = 29.97
        properties.source = .screen
        properties.fit = .contain
        properties.hasDisableWarning = false
        return RaptorChannel(id: "video1", kind: .video, properties)
    }()

    private static let stream: RaptorStream = {
        var stream = RaptorStream(
            id: "s1", name: "cam ž", hasAudioFallback: false,
            channels: [RaptorChannel(id: "audio1", kind: .audio, .init(isActive: true)), video])
        stream.minBitrate = 30_000
        stream.maxBitrate = 1_000_000
        return stream
    }()

    private static let preferences: RaptorSubscriberPreferences = {
        var preferences = RaptorSubscriberPreferences(isActive: true, preferredWidth: 320, preferredHeight: 180)
        preferences.restrictsFrameRate = true
        preferences.preferredFrameRate = 7.5
        return preferences
    }()

    private static let steps: [RaptorNegotiation] = [
        .generateOffer, .offer(sdp: "v=0\r\n"), .answer(sdp: "v=0\r\n"), .provisionalAnswer(sdp: ""),
        .candidate(RaptorCandidate(candidate: "candidate:1", sdpMid: "0", sdpMLineIndex: 0)),
        .candidate(RaptorCandidate(candidate: "")),
    ]

    private static let requests: [RaptorRequest] =
        [
            .join(connection: "c1", RaptorJoin(userAgent: "ua", clientVersion: "1", capabilities: ["renegotiation"])),
            .readState,
            .publish(stream), .unpublish(stream: "s1"),
            .updateStream(stream: "s1", channel: "video1", video.properties),
            .subscribe(stream: "s1", RaptorSubscriber(id: "u1", channels: [.init(id: "video1", preferences)])),
            .unsubscribe(stream: "s1", subscriber: "u1"),
            .updateSubscriber(stream: "s1", subscriber: "u1", channel: "video1", preferences),
            .signal(to: nil, id: "i", SignalContent(type: "chat", data: "hi")),
            .signal(to: "c2", id: "i", SignalContent()),
            .forceDisconnect(connection: "c2"), .muteStream("s1"),
            .forceMute(ForceMute(isActive: true, excludedStreams: ["s1"])), .forceMute(ForceMute(isActive: false)),
        ] + steps.flatMap { [.negotiate(.stream("s1"), $0), .negotiate(.subscriber(stream: "s1", id: "u1"), $0)] }

    private static let events: [RaptorEvent] = {
        var created = stream
        created.connection = "c1"
        created.creationTime = 1_800_000_000_000
        var subscriber = RaptorSubscriber(id: "u1")
        subscriber.connection = "c2"
        return [
            .connectionCreated(
                RaptorConnection(id: "c1", creationTime: 5, data: "d", permissions: OpenTokRole.moderator.permissions())
            ),
            .streamCreated(created), .streamUpdated(stream: "s1", channel: "video1", video.properties),
            .subscriberCreated(stream: "s1", subscriber), .subscriberDeleted(stream: "s1", subscriber: "u1"),
            .subscriberUpdated(stream: "s1", subscriber: "u1", channel: "video1", .init(isActive: false)),
            .signal(id: "i", SignalContent(type: "chat", data: "hi")), .streamMuted("s1"),
            .archiveCreated(RaptorArchive(id: "a", name: "n", status: .started)),
            .archiveUpdated(RaptorArchive(id: "a", status: .stopped)), .muteForced(ForceMute(isActive: true)),
        ] + steps.map { .negotiate(.subscriber(stream: "s1", id: "u1"), $0) }
            + RaptorReason.allCases.flatMap { [.connectionDeleted(id: "c1", $0), .streamDeleted(id: "s1", $0)] }
    }()

    @Test(arguments: requests) func requestRoundTrip(request: RaptorRequest) throws {
        let message = request.message(project: "12345", session: Self.session)
        let read = try RaptorMessage(payload: message.payload)
        #expect(read == message)
        #expect(try RaptorRequest(read) == request)
    }

    @Test(arguments: events) func eventRoundTrip(event: RaptorEvent) throws {
        let message = event.message(project: "12345", session: Self.session)
        let read = try RaptorMessage(payload: message.payload)
        #expect(try RaptorEvent(read) == event)
    }

    @Test("Messages as the format has them")
    func wire() throws {
        let join = RaptorRequest.join(connection: "c1", RaptorJoin(capabilities: ["a"]))
        #expect(
            String(decoding: join.message(project: "12345", session: Self.session).payload, as: UTF8.self)
                == #"{"content":{"capabilities":["a"],"clientVersion":"","userAgent":""},"method":"create","uri":"\#(Self.base)/connection/c1"}"#
        )
        let message = try read(
            #"{"method":"create","uri":"\#(Self.base)/stream/s/subscriber/u","content":{"id":"u","connection":"c1","#
                + #""keyManagementMethod":"DTLS","bundleSupport":true,"rtcpMuxSupport":true,"later":[{}]}}"#)
        guard case .subscribe("s", let subscriber) = try RaptorRequest(message) else {
            Issue.record("no subscription")
            return
        }
        #expect(subscriber.connection == "c1")
        let update = try read(
            #"{"method":"update","uri":"\#(Self.base)/stream/s/subscriber/u/channel/v","content":{"active":false}}"#)
        #expect(
            try RaptorEvent(update)
                == .subscriberUpdated(stream: "s", subscriber: "u", channel: "v", .init(isActive: false)))
    }

    private func read(_ text: String) throws -> RaptorMessage { try RaptorMessage(payload: Array(text.utf8)) }

    @Test(
        "Paths that name no resource",
        arguments: [
            "", "/", "/v2/partner/12345", "/v2/partner/12345/session/", "/v2/partner/1~/session/s",
            "/v2/project/12345/session/s",
            "/v2/partner/12345/session/s/", "/v2/partner/12345/session/s/stream", "/v2/partner/12345/session/s/stream/",
            "/v2/partner/12345/session/s/room/r", "/v2/partner/12345/session/s/stream/a/signal/b",
            "/v2/partner/12345/session/s/stream/a/channel/b/channel/c", "x/v2/partner/12345/session/s",
            "/v2/partner/12345/session/" + String(repeating: "s", count: 256),
            "/v2/partner/12345/session/s" + String(repeating: "/stream/a", count: 300),
        ])
    func noResource(text: String) { #expect(RaptorURI(text) == nil) }

    @Test(
        "What is refused, with its place",
        arguments: [
            ("create", "/stream/s", #"{"id":"t"}"#, "content.id: not the id of the uri"),
            ("create", "/stream/s", "{}", "content.id: missing; this member is required"),
            (
                "create", "/stream/s", #"{"id":"s","channel":[{"id":"a"}]}"#,
                "content.channel[0].type: missing; this member is required"
            ),
            (
                "create", "/stream/s", #"{"id":"s","channel":[{"id":"a","type":"audio"},{"id":"a","type":"video"}]}"#,
                "content.channel: two have the same id; give each its own"
            ),
            (
                "create", "/stream/s", #"{"id":"s","channel":[{},{},{},{},{},{},{},{},{}]}"#,
                "content.channel: 9 elements; send at most 8"
            ),
            ("update", "/stream/s/channel/v", #"{"width":-1}"#, "content.width: no whole number from 0 to 16384"),
            (
                "update", "/stream/s/channel/v", #"{"frameRate":"fast"}"#,
                "content.frameRate: no number from 0.0 to 1000.0"
            ),
            ("signal", "/signal/i", #"{"type":"a b"}"#, "content.type: use letters, digits, - , _ and ~"),
            ("offer", "/stream/s", "{}", "content.sdp: missing; this member is required"),
            ("mute", "", "[]", "content: no object; send {...}"),
            ("explode", "", "{}", "method: this resource has no such method"),
            ("offer", "/connection/c", "{}", "method: this resource has no such method"),
        ])
    func refusals(method: String, path: String, content: String, description: String) throws {
        let message = try read(#"{"method":"\#(method)","uri":"\#(Self.base)\#(path)","content":\#(content)}"#)
        let fault = #expect(throws: MessageFault.self) { try RaptorRequest(message) }
        #expect(fault?.description == description)
        #expect(fault?.isTooLong == false)
    }

    @Test func tooLong() throws {
        let data = String(repeating: "d", count: SignalContent.longestData + 1)
        let message = try read(#"{"method":"signal","uri":"\#(Self.base)/signal/i","content":{"data":"\#(data)"}}"#)
        let fault = #expect(throws: MessageFault.self) { try RaptorRequest(message) }
        #expect(fault?.isTooLong == true)
        let large = Array(repeating: UInt8(ascii: " "), count: RaptorMessage.longest + 1)
        let longer = #expect(throws: MessageFault.self) { try RaptorMessage(payload: large) }
        #expect(longer?.isTooLong == true)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"method":"read"}"#, #"{"method":5,"uri":"/"}"#, #"{"method":"read","uri":"/"}"#,
    ])
    func noMessage(text: String) { #expect(throws: MessageFault.self) { try read(text) } }

    @Test func sessionState() throws {
        let state = RaptorSessionState(
            connections: [RaptorConnection(id: "c1", creationTime: 1, permissions: .subscribe)], streams: [Self.stream],
            archives: [RaptorArchive(id: "a", status: .paused)],
            iceServers: [
                RaptorICEServer(url: "stun:h"), RaptorICEServer(url: "turn:h", username: "u", credential: "c"),
            ])
        #expect(try RaptorSessionState(payload: state.payload) == state)
        #expect(try RaptorSessionState(payload: Array("{}".utf8)) == RaptorSessionState())
        #expect(throws: MessageFault.self) { try RaptorSessionState(payload: Array(#"{"stream":[{}]}"#.utf8)) }
    }
}
