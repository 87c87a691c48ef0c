import Foundation
import LiveKitProtocol

#if canImport(CallServer)
    @testable import CallServer
#endif

/// What fuzz targets do with one input: see `WireFuzzing`. The files of CallServer that they need, and this one, are also a
/// target of the package in Fuzz/.
package enum ServiceFuzzing {
    package static let bodies: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
        ("configuration", { configuration($0) }), ("roomservice", { roomService($0) }),
    ]

    /// A configuration document is used or refused with a sentence; what it says can be asked for.
    package static func configuration(_ input: UnsafeRawBufferPointer) {
        let read: ServiceConfiguration
        do {
            read = try ServiceConfiguration(json: Data(input))
        } catch {
            precondition(!error.description.isEmpty)
            return
        }
        for key in ["key", ""] + read.keys.keys.sorted().prefix(3) {
            let settings = read.settings(for: ConfigurationAsker(key: key, area: "support", identity: "ada"))
            precondition(settings.provider.map { read.providers[$0] != nil || $0 == "LIVEKIT" } ?? true)
        }
    }

    /// Requests to the room API: the first byte chooses the message, the second its form.
    package static func roomService(_ input: UnsafeRawBufferPointer) {
        guard input.count >= 2 else { return }
        let bytes = Array(input.dropFirst(2))
        let isJSON = input[1] % 2 == 0
        switch input[0] % 12 {
        case 0: check(Livekit_CreateRoomRequest.self, bytes, isJSON)
        case 1: check(Livekit_ListRoomsRequest.self, bytes, isJSON)
        case 2: check(Livekit_DeleteRoomRequest.self, bytes, isJSON)
        case 3: check(Livekit_ListParticipantsRequest.self, bytes, isJSON)
        case 4: check(Livekit_RoomParticipantIdentity.self, bytes, isJSON)
        case 5: check(Livekit_MuteRoomTrackRequest.self, bytes, isJSON)
        case 6: check(Livekit_UpdateParticipantRequest.self, bytes, isJSON)
        case 7: check(Livekit_UpdateSubscriptionsRequest.self, bytes, isJSON)
        case 8: check(Livekit_UpdateRoomMetadataRequest.self, bytes, isJSON)
        case 9: check(Livekit_SendDataRequest.self, bytes, isJSON)
        case 10: check(Livekit_PerformRpcRequest.self, bytes, isJSON)
        default: filled(bytes, isJSON)
        }
    }

    /// What is read can be written and reads the same again; maps have no order, so that only the sizes need agree.
    private static func check<Message: ProtocolMessage>(_ type: Message.Type, _ bytes: [UInt8], _ isJSON: Bool) {
        let message =
            isJSON
            ? String(validating: bytes, as: UTF8.self).flatMap { try? Message(wireJSON: $0) }
            : try? Message(wireBytes: bytes)
        guard let message else { return }
        let again = try? Message(wireBytes: message.wireBytes)
        precondition(again?.wireBytes.count == message.wireBytes.count)
    }

    /// An answer's JSON is an object, whatever is in the message.
    private static func filled(_ bytes: [UInt8], _ isJSON: Bool) {
        guard let info = try? Livekit_ParticipantInfo(wireBytes: bytes) else { return }
        let text = JSONShape.participant.fill(info)
        precondition(text.first == "{" && text.last == "}")
    }
}
