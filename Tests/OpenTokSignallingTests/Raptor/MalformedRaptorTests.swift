import Testing

@testable import OpenTokSignalling

/// Messages of which one member is not what it should be.
@Suite struct MalformedRaptorTests {
    private static let base = "/v2/partner/12345/session/2_fjEyMzQ1fn4w"

    /// A valid message, and where in it something is replaced.
    struct Spoiling: CustomTestStringConvertible, Sendable {
        let method: String
        let path: String
        let content: JSON
        /// Members that have to be there and be right.
        let needed: [String]
        /// Members that may be missing or null, and be nothing else.
        var optional: [String] = []

        var testDescription: String { "\(method) \(path)" }
    }

    private static let channel: JSON = ["id": "video1", "type": "video", "active": true, "width": 640, "height": 360]

    static let requests = [
        Spoiling(method: "create", path: "/connection/c1", content: [:], needed: [], optional: ["userAgent"]),
        Spoiling(
            method: "create", path: "/stream/s1", content: ["id": "s1", "channel": [channel]], needed: ["id"],
            optional: ["name", "audioFallbackEnabled", "minBitrate", "maxBitrate"]),
        Spoiling(
            method: "update", path: "/stream/s1/channel/video1", content: [:], needed: [],
            optional: ["active", "width", "height", "orientation", "frameRate", "source", "fitMode"]),
        Spoiling(
            method: "create", path: "/stream/s1/subscriber/u1", content: ["id": "u1"], needed: ["id"],
            optional: ["channel"]),
        Spoiling(
            method: "update", path: "/stream/s1/subscriber/u1/channel/video1", content: [:], needed: [],
            optional: ["active", "preferredWidth", "preferredHeight", "preferredFrameRate", "restrictFrameRate"]),
        Spoiling(method: "offer", path: "/stream/s1", content: ["sdp": "v=0"], needed: ["sdp"]),
        Spoiling(method: "answer", path: "/stream/s1/subscriber/u1", content: ["sdp": "v=0"], needed: ["sdp"]),
        Spoiling(
            method: "candidate", path: "/stream/s1", content: ["candidate": "candidate:1"], needed: ["candidate"],
            optional: ["sdpMid", "sdpMLineIndex"]),
        Spoiling(method: "signal", path: "/signal/1", content: [:], needed: [], optional: ["type", "data"]),
        Spoiling(
            method: "mute", path: "", content: ["active": true], needed: ["active"], optional: ["excludedStreamIds"]),
    ]

    private func parse(_ spoiling: Spoiling, _ content: JSON) throws -> RaptorRequest {
        let json: JSON = [
            "method": .string(spoiling.method), "uri": .string(Self.base + spoiling.path), "content": content,
        ]
        return try RaptorRequest(RaptorMessage(payload: json.bytes))
    }

    private func replacing(_ name: String, in content: JSON, with value: JSON?) -> JSON {
        guard case .object(var members) = content else { return content }
        members[name] = value
        return .object(members)
    }

    /// Values of other kinds than any member has.
    private static let wrong: [JSON] = [
        ["a": 1], .array([.array([])]), .number(-0.5), .integer(-1_000_000_000),
        .string(String(repeating: "x", count: 200_000)),
    ]

    @Test(arguments: requests) func aMemberOfAnotherKindIsNamed(_ spoiling: Spoiling) throws {
        _ = try parse(spoiling, spoiling.content)
        for name in spoiling.needed + spoiling.optional {
            for value in Self.wrong {
                let content = replacing(name, in: spoiling.content, with: value)
                do {
                    let request = try parse(spoiling, content)
                    Issue.record("\(name) = \("\(value)".prefix(40)) is taken as \("\(request)".prefix(200))")
                } catch let fault as MessageFault {
                    // Beyond the bound for a message the member is not looked at.
                    #expect(fault.isTooLong || fault.path.contains(name), "\(fault)")
                    #expect(fault.description.utf8.count < 500, "what was sent is not sent back")
                }
            }
        }
    }

    @Test(arguments: requests) func whatIsNeededIsMissed(_ spoiling: Spoiling) throws {
        for name in spoiling.needed {
            for value in [nil, JSON.null] {
                let content = replacing(name, in: spoiling.content, with: value)
                #expect(throws: MessageFault.self, "\(name)") { try parse(spoiling, content) }
            }
        }
        let plain = try parse(spoiling, spoiling.content)
        for name in spoiling.optional {
            let isNull = try parse(spoiling, replacing(name, in: spoiling.content, with: .null))
            #expect(isNull == plain, "null is as good as absent: \(name)")
        }
        let more = try parse(spoiling, replacing("unknown", in: spoiling.content, with: ["a": [1, 2]]))
        #expect(more == plain, "unknown members are ignored")
    }

    /// Bytes count, and not characters.
    @Test(arguments: [("a", 1), ("ž", 2), ("語", 3)]) func signalsHaveLimitsInBytes(_ letter: String, _ size: Int) throws
    {
        let signal = Spoiling(method: "signal", path: "/signal/1", content: [:], needed: [])
        func send(_ name: String, bytes: Int) throws -> RaptorRequest {
            let text = String(repeating: letter, count: bytes / size) + String(repeating: "a", count: bytes % size)
            #expect(text.utf8.count == bytes)
            return try parse(signal, [name: .string(text)])
        }
        _ = try send("data", bytes: 8192)
        #expect { try send("data", bytes: 8193) } throws: { ($0 as? MessageFault)?.isTooLong == true }
        guard size == 1 else { return }
        _ = try send("type", bytes: 128)
        #expect { try send("type", bytes: 129) } throws: { ($0 as? MessageFault)?.isTooLong == true }
    }

    @Test(arguments: [
        "", "/", "/stream", "/stream/", "/stream/s1/", "/stream/s1/channel", "/stream//channel/a", "/stream/../x",
        "/stream/s 1", "/stream/s1/subscriber/u1/channel/a/b", "/connection/c1/signal", "/archive",
        "/stream/" + String(repeating: "s", count: 5000),
    ])
    func pathsThatLeadNowhere(_ path: String) {
        for method in ["create", "update", "delete", "offer", "signal"] {
            let spoiling = Spoiling(method: method, path: path, content: ["id": "s1"], needed: [])
            #expect(throws: MessageFault.self, "\(method) \(path.prefix(40))") { try parse(spoiling, spoiling.content) }
        }
    }

    @Test func channelsHaveIdsOfTheirOwnAndABound() throws {
        let spoiling = Self.requests[1]
        func publish(_ channels: [JSON]) throws -> RaptorRequest {
            try parse(spoiling, replacing("channel", in: spoiling.content, with: .array(channels)))
        }
        let named = (0..<9).map { JSON.object(["id": .string("a\($0)"), "type": "audio"]) }
        _ = try publish(Array(named.prefix(8)))
        for channels in [
            named, [named[0], named[0]], [["id": "x"]], [["id": "x", "type": "smell"]], [["type": "audio"]],
        ] {
            #expect(throws: MessageFault.self) { try publish(channels) }
        }
    }
}
