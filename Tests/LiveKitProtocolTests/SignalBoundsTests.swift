import Testing

@testable import LiveKitProtocol

/// What signalling messages may be long, and what of them is kept.
@Suite struct SignalBoundsTests {
    private static func read(_ request: Livekit_SignalRequest) throws -> Livekit_SignalRequest {
        try SignalReading.request(binary: request.wireBytes, metadata: 600_000)
    }

    /// A million empty names are two megabytes on the wire and a million answers.
    @Test func aListOfAMillionNamesIsNotRead() {
        let request = Livekit_SignalRequest.with {
            $0.subscription.trackSids = [String](repeating: "", count: 1_000_000)
        }
        let error = #expect(throws: SignalBounds.Fault.self) { try Self.read(request) }
        #expect(error == .tooLong(bytes: request.wireBytes.count, limit: 128 * 1024))
    }

    @Test func eachKindHasItsLength() throws {
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        _ = try Self.read(.with { $0.offer.sdp = text(300_000) })
        _ = try Self.read(.with { $0.updateMetadata.metadata = text(590_000) })
        let tooLong: [Livekit_SignalRequest] = [
            .with { $0.offer.sdp = text(400_000) }, .with { $0.updateMetadata.metadata = text(600_001) },
            .with { $0.addTrack.name = text(70_000) }, .with { $0.trickle.candidateInit = text(70_000) },
            .with { $0.mute.sid = text(70_000) },
            .with { $0.subscriptionPermission.trackPermissions = [.with { $0.trackSids = [text(140_000)] }] },
            .with { $0.syncState.publishTracks = [.with { $0.cid = text(1_100_000) }] },
        ]
        for request in tooLong {
            let error = #expect(throws: SignalBounds.Fault.self) { try Self.read(request) }
            #expect(error?.isLength == true, "\(request.wireBytes.count) bytes")
        }
        #expect(throws: SignalBounds.Fault.self) { try SignalReading.request(text: text(300_000)) }
    }

    /// A letter with its accent is one Character, however often the accent comes.
    @Test func bytesCountAndNotCharacters() {
        let name = "e" + String(repeating: "\u{301}", count: 900_000)
        #expect(name.count == 1)
        #expect(throws: SignalBounds.Fault.self) { try Self.read(.with { $0.addTrack.name = name }) }
    }

    @Test func aMessageIsOneRequest() throws {
        let ping = Livekit_SignalRequest.with { $0.ping = 1 }.wireBytes
        #expect(throws: SignalBounds.Fault.severalRequests) { try SignalReading.request(binary: ping + ping) }
        // Field 900 of a newer client, beside the request and alone.
        let newer: [UInt8] = [0xa0, 0x38, 0x05]
        #expect(try SignalReading.request(binary: ping + newer).ping == 1)
        #expect(try SignalReading.request(binary: newer).message == nil)
        #expect(throws: SignalBounds.Fault.malformed) { try SignalReading.request(binary: [0x0a, 0xff]) }
        #expect(throws: SignalBounds.Fault.malformed) { try SignalReading.request(binary: [0x80]) }
    }

    /// Layers go on to everybody: what nobody here knows of them must not.
    @Test func unknownFieldsAreDropped() throws {
        var layer = Livekit_VideoLayer()
        layer.width = 640
        let unknown: [UInt8] = [0xaa, 0x38, 0x03, 1, 2, 3]
        let inner = layer.wireBytes + unknown
        let track: [UInt8] = [9 << 3 | 2, UInt8(inner.count)] + inner
        let request: [UInt8] = [4 << 3 | 2, UInt8(track.count)] + track
        let read = try SignalReading.request(binary: request)
        #expect(read.addTrack.layers == [layer])
    }

    @Test func a401NamesNoToken() {
        let key = String(repeating: "k", count: 3_000) + "\r\nforged: yes"
        let text = AccessTokenError.unknownKey(key).description
        #expect(text.utf8.count < 120 && !text.contains("\n"))
        let long = String(repeating: "a", count: 200_000)
        #expect(throws: AccessTokenError.notAToken) { try AccessToken.verify("\(long).b.c", secrets: [:], now: 0) }
    }
}
