import RTCWire
import Testing

@testable import RTCCore

@Suite struct StartBitrateTests {
    private func answer(to parameters: SDPFormatParameters) -> SDPFormatParameters {
        let offered = RemoteCodec(
            payloadType: 96, name: "VP8", clockRate: 90_000, channels: 1, parameters: parameters,
            feedback: CodecCapability.vp8.feedback)
        return CodecCapability.vp8.answerParameters(to: offered)
    }

    @Test func anAnswerRepeatsTheBitrateThatASenderWantsToBeginWith() {
        #expect(answer(to: "x-google-start-bitrate=1000")["x-google-start-bitrate"] == "1000")
        #expect(answer(to: "x-google-max-bitrate=2000").isEmpty)
        #expect(answer(to: "").isEmpty)
    }
}
