import CallModel
import Foundation
import Testing

/// Ring messages as JSON.
@Suite struct RingCodingTests {
    private func roundTrip<Value: Codable & Equatable>(_ value: Value) throws {
        #expect(try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test func messagesRoundTrip() throws {
        let request = RingRequest(
            conversationId: "v", callType: .video, callerName: "A", groups: [["b"], ["c", "d"]],
            mandatory: ["a"])
        for command in [
            RingCommand.place(request), .answer(callId: "c"), .decline(callId: "c"), .abort(callId: "c"),
            .connected(callId: "c"), .hangUp(callId: "c", .systemAbort),
        ] { try roundTrip(command) }
        let offer = RingOffer(
            callId: "c", conversationId: "v", callType: .audio, callerPersonId: "a", callerName: "A",
            callStartTimestamp: .zero, ringsUntil: CallTime(milliseconds: 5))
        for signal in [
            RingSignal.offer(offer), .granted(callId: "c"), .refused(callId: "c", .ended),
            .withdrawn(callId: "c", .answeredElsewhere), .progress(callId: "c", .forwarding),
            .ended(callId: "c", .declined),
        ] { try roundTrip(signal) }
    }

    @Test func aRequestNeedNotSayWhoIsMandatory() throws {
        let text = #"{"callId":"","conversationId":"v","callType":"AUDIO","callerName":"A","groups":[["b"]]}"#
        let request = try JSONDecoder().decode(RingRequest.self, from: Data(text.utf8))
        #expect(request == RingRequest(conversationId: "v", callerName: "A", groups: [["b"]]))
        #expect(request.mandatory == [])
    }

    @Test func aCommandIsShort() throws {
        let command = try JSONDecoder().decode(
            RingCommand.self, from: Data(#"{"type":"hangUp","callId":"c"}"#.utf8))
        #expect(command == .hangUp(callId: "c", .hangUp))
        for text in ["{}", "[]", #"{"type":"answer"}"#, #"{"type":"dance","callId":"c"}"#, #"{"type":"place"}"#] {
            #expect(throws: (any Error).self) {
                _ = try JSONDecoder().decode(RingCommand.self, from: Data(text.utf8))
            }
        }
    }
}
