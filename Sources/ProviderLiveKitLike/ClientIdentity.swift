import Foundation
import LiveKitProtocol

/// How we introduce ourselves to a LiveKit server.
enum ClientIdentity {
    /// The protocol version whose behaviour we have.
    static let protocolVersion: Int32 = 16
    static let version = "0.1.0"

    static var info: Livekit_ClientInfo {
        var info = Livekit_ClientInfo()
        info.sdk = .swift
        info.version = version
        info.protocol = protocolVersion
        info.os = "linux"
        return info
    }

    /// The query of `/rtc` (two connections).
    static func query(autoSubscribe: Bool) -> [(String, String)] {
        [
            ("protocol", "\(protocolVersion)"), ("sdk", "swift"), ("version", version), ("os", "linux"),
            ("auto_subscribe", autoSubscribe ? "1" : "0"), ("adaptive_stream", "0"),
        ]
    }

    /// The query of `/rtc/v1` (one connection): the join request, base64 in the URL alphabet.
    static func joinRequest(offer: String, autoSubscribe: Bool) throws -> [(String, String)] {
        var join = Livekit_JoinRequest()
        join.clientInfo = info
        join.connectionSettings.autoSubscribe = autoSubscribe
        join.publisherOffer.type = "offer"
        join.publisherOffer.sdp = offer
        var wrapped = Livekit_WrappedJoinRequest()
        wrapped.joinRequest = try join.serializedData()
        let base64 = try wrapped.serializedData().base64EncodedString()
        return [
            ("join_request", base64.replacing("+", with: "-").replacing("/", with: "_"))
        ]
    }
}
