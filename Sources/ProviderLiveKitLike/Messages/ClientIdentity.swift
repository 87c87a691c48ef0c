import Foundation
import LiveKitProtocol

/// How we introduce ourselves to a LiveKit server.
enum ClientIdentity {
    /// The protocol version whose behaviour we have.
    static let protocolVersion: Int32 = 17
    static let version = "0.1.0"

    static var info: Livekit_ClientInfo {
        var info = Livekit_ClientInfo()
        info.sdk = .swift
        info.version = version
        info.protocol = protocolVersion
        info.os = "linux"
        return info
    }

    /// What belongs to every request: the session's wishes, and which session a reconnect resumes.
    struct Request: Sendable, Hashable {
        var autoSubscribe = true
        var adaptiveStream = false
        /// Only where a session is resumed: our participant id and what was lost.
        var resuming: Resumption?

        struct Resumption: Sendable, Hashable {
            var participant: String
            var reason: Livekit_ReconnectReason
        }
    }

    /// The query of `/rtc` (two connections).
    static func query(_ request: Request) -> [(String, String)] {
        var query = [
            ("protocol", "\(protocolVersion)"), ("sdk", "swift"), ("version", version), ("os", "linux"),
            ("auto_subscribe", request.autoSubscribe ? "1" : "0"),
            ("adaptive_stream", request.adaptiveStream ? "1" : "0"),
        ]
        // Who follows a layout is told when a picture is held back; for anybody else a few pictures beat none.
        if request.adaptiveStream { query.append(("subscriber_allow_pause", "1")) }
        if let resuming = request.resuming {
            query += [
                ("reconnect", "1"), ("sid", resuming.participant),
                ("reconnect_reason", "\(resuming.reason.rawValue)"),
            ]
        }
        return query
    }

    /// The query of `/rtc/v1` (one connection): the join request, base64 in the URL alphabet. A resumed session gets its
    /// offer later.
    static func joinRequest(_ request: Request, offer: Livekit_SessionDescription?) throws -> [(String, String)] {
        var join = Livekit_JoinRequest()
        join.clientInfo = info
        join.connectionSettings.autoSubscribe = request.autoSubscribe
        join.connectionSettings.adaptiveStream = request.adaptiveStream
        join.connectionSettings.subscriberAllowPause = request.adaptiveStream
        if let offer { join.publisherOffer = offer }
        if let resuming = request.resuming {
            join.reconnect = true
            join.reconnectReason = resuming.reason
            join.participantSid = resuming.participant
        }
        var wrapped = Livekit_WrappedJoinRequest()
        let plain: [UInt8] = try join.serializedBytes()
        // An offer of many kilobytes would make a URL that proxies refuse.
        if let packed = Gzip.compress(plain), packed.count < plain.count {
            wrapped.compression = .gzip
            wrapped.joinRequest = Data(packed)
        } else {
            wrapped.joinRequest = Data(plain)
        }
        return [("join_request", Base64.encodePaddedURL(try wrapped.serializedData()))]
    }
}
