import Testing

@testable import LiveKitProtocol

@Suite struct MessageTests {
    @Test func numbersOnTheWire() throws {
        var request = Livekit_SignalRequest()
        request.pingReq = .with { $0.timestamp = 1 }
        // Field 16, length-delimited: two tag bytes.
        #expect(request.wireBytes == [0x82, 0x01, 0x02, 0x08, 0x01])
        var response = Livekit_SignalResponse()
        response.refreshToken = "t"
        #expect(response.wireBytes == [0x82, 0x01, 0x01, 0x74])
    }

    @Test func unknownFieldsSurvive() throws {
        // Field 900, varint 5: something newer than we are.
        let bytes: [UInt8] = [0xa0, 0x38, 0x05]
        let message = try Livekit_SignalResponse(wireBytes: bytes)
        #expect(message.message == nil)
        #expect(message.wireBytes == bytes)
    }

    @Test func unreadableBytesThrow() {
        #expect(throws: (any Error).self) { try Livekit_SignalRequest(wireBytes: [0x0a, 0xff]) }
    }

    @Test func textFrames() throws {
        let request = try Livekit_SignalRequest(wireJSON: #"{"mute":{"sid":"TR_x","muted":true},"later":1}"#)
        #expect(request.mute.muted)
        #expect(request.wireJSON == #"{"mute":{"sid":"TR_x","muted":true}}"#)
    }

    @Test func sessionIDs() {
        #expect(SessionID.room().hasPrefix("RM_"))
        #expect(SessionID.participant().count == 15)
        #expect(SessionID.track(type: .audio, source: .microphone).hasPrefix("TR_AM"))
        #expect(SessionID.track(type: .video, source: .camera).count == 17)
        #expect(SessionID.track(type: .video, source: .unknown).count == 16)
    }
}
