import Foundation
import Testing

@testable import RTCCore
@testable import RTCWire

/// Configurations and recorded descriptions for the negotiation tests.
enum NegotiationFixtures {
    /// One of the recorded descriptions of `Tests/Vectors/sdp`.
    static func recorded(_ name: String) throws -> SDPSession {
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Vectors/sdp")
        return try SDPSession(parsing: [UInt8](try Data(contentsOf: folder.appendingPathComponent(name))))
    }

    static func fingerprint(_ byte: UInt8) throws -> DTLSFingerprint {
        try #require(DTLSFingerprint(algorithm: "sha-256", value: Array(repeating: byte, count: 32)))
    }

    /// A participant that draws its numbers.
    static func agent(seed: UInt64) throws -> Negotiator {
        var configuration = NegotiatorConfiguration(
            credentials: ICECredentials(ufrag: "agnt", pwd: "agentagentagentagentag"),
            fingerprint: try fingerprint(0xA1))
        configuration.numbering = .random(seed: seed)
        configuration.cname = "agent"
        return Negotiator(configuration: configuration)
    }

    /// A forwarding server.
    static func server(
        codecs: [CodecCapability] = [.opus, .vp8], congestionFeedback: CongestionFeedback = .none
    ) throws -> Negotiator {
        var configuration = NegotiatorConfiguration(
            credentials: ICECredentials(ufrag: "srvr", pwd: "serverserverserverserver"),
            fingerprint: try fingerprint(0x5E))
        configuration.codecs = codecs
        configuration.videoExtensions = [.mid, .rid, .repairedRid, .absCaptureTime]
        configuration.congestionFeedback = congestionFeedback
        configuration.keepsIdleLinesOpen = true
        configuration.acceptsSimulcast = true
        return Negotiator(configuration: configuration)
    }

    static let audioSend = SendDescription(streamID: "-", trackID: "cid-a", ssrc: 1001)
    static let videoSend = SendDescription(streamID: "-", trackID: "cid-v", ssrc: 2001, rtxSSRC: 2002)

    static func subscription(_ track: String, ssrc: UInt32, rtx: UInt32? = nil) -> SendDescription {
        SendDescription(
            streamID: "PA_p|\(track)", trackID: track, ssrc: ssrc, rtxSSRC: rtx, cname: "PA_p|\(track)")
    }

    /// Takes a description through its text, as it would travel.
    static func sent(_ session: SDPSession) throws -> SDPSession { try SDPSession(parsing: session.description) }
}
