import RTCWire

// The field's codecs, as data.

extension CodecCapability {
    /// Opus (RFC 7587) with in-band FEC.
    package static let opus = CodecCapability(
        kind: .audio, name: "opus", clockRate: 48000, channels: 2, parameters: "minptime=10;useinbandfec=1",
        feedback: .nack, payloadType: 111)
    /// Opus with copies of the frames before it (RFC 2198). Losses are not asked for again: the copies mend them.
    package static let red = CodecCapability(
        kind: .audio, name: "red", clockRate: 48000, channels: 2, carries: "opus", payloadType: 63)
    /// G.711 mu-law.
    package static let pcmu = CodecCapability(
        kind: .audio, name: "PCMU", clockRate: 8000, feedback: .nack, payloadType: 0)
    /// G.711 A-law.
    package static let pcma = CodecCapability(
        kind: .audio, name: "PCMA", clockRate: 8000, feedback: .nack, payloadType: 8)
    /// Tones of a telephone's keys (RFC 4733), on the clock of the codec that they stand in for.
    package static func telephoneEvent(clockRate: Int = 48000) -> CodecCapability {
        CodecCapability(
            kind: .audio, name: "telephone-event", clockRate: clockRate, payloadType: clockRate == 48000 ? 110 : 112)
    }

    /// VP8 (RFC 7741).
    package static let vp8 = CodecCapability(
        kind: .video, name: "VP8", clockRate: 90000, feedback: .video, hasRTX: true, payloadType: 96)
    /// VP9 (RFC 9628) of one profile, 0...3.
    package static func vp9(profile: Int = 0) -> CodecCapability {
        CodecCapability(
            kind: .video, name: "VP9", clockRate: 90000,
            parameters: SDPFormatParameters(parsing: "profile-id=\(profile)"),
            rules: [ParameterRule("profile-id", defaultValue: "0")], feedback: .video, hasRTX: true,
            payloadType: profile == 1 ? 100 : 98)
    }
    /// H.264 (RFC 6184) of one profile and packetization mode; any level.
    package static func h264(
        profileLevelID: String = "42e01f", packetizationMode: Int = 1, payloadType: UInt8 = 102
    ) -> CodecCapability {
        CodecCapability(
            kind: .video, name: "H264", clockRate: 90000,
            parameters: SDPFormatParameters(
                parsing: "level-asymmetry-allowed=1;packetization-mode=\(packetizationMode);"
                    + "profile-level-id=\(profileLevelID)"),
            rules: [
                ParameterRule("packetization-mode", defaultValue: "0"),
                ParameterRule("profile-level-id", defaultValue: "42000a", significantPrefix: 4),
            ],
            feedback: .video, hasRTX: true, payloadType: payloadType)
    }
    /// H.265 (RFC 7798), whatever profile, tier and level the other side has.
    package static let h265 = CodecCapability(
        kind: .video, name: "H265", clockRate: 90000,
        rules: ["level-id", "profile-id", "tier-flag", "tx-mode"].map {
            ParameterRule($0, defaultValue: "", significantPrefix: 0)
        },
        feedback: .video, hasRTX: true, payloadType: 116)
    /// AV1 main profile.
    package static let av1 = CodecCapability(
        kind: .video, name: "AV1", clockRate: 90000, parameters: "level-idx=5;profile=0;tier=0",
        rules: [ParameterRule("profile", defaultValue: "0")], feedback: .video, hasRTX: true, payloadType: 45)
}

// MARK: What a forwarder takes

extension CodecCapability {
    /// All that is forwarded, for answers: whatever profile and level a client offers is taken.
    package static let forwardedInAnswers: [CodecCapability] =
        audio + [
            .vp8, CodecCapability.vp9().taking("profile-id"), CodecCapability.h264().taking("profile-level-id"),
            CodecCapability.h264(packetizationMode: 0).taking("profile-level-id"),
            CodecCapability.av1.taking("profile", "level-idx", "tier"), .h265,
        ]

    /// All that is forwarded, for offers: each profile that clients know by itself, under the numbers LiveKit's server uses.
    package static let forwardedInOffers: [CodecCapability] =
        audio + [
            .vp8, .vp9(), .vp9(profile: 1), .h264(packetizationMode: 0, payloadType: 125), .h264(payloadType: 108),
            .h264(profileLevelID: "42001f", packetizationMode: 0, payloadType: 104),
            .h264(profileLevelID: "42001f", payloadType: 102), CodecCapability.av1.numbered(35), .h265,
        ]

    private static let audio: [CodecCapability] = [
        .opus, .red, .pcmu, .pcma, .telephoneEvent(), .telephoneEvent(clockRate: 8000),
    ]

    /// The same codec with any value of these parameters.
    private func taking(_ names: String...) -> CodecCapability {
        var copy = self
        copy.rules.removeAll { names.contains($0.name) }
        copy.rules += names.map { ParameterRule($0, defaultValue: "", significantPrefix: 0) }
        return copy
    }

    private func numbered(_ payloadType: UInt8) -> CodecCapability {
        var copy = self
        copy.payloadType = payloadType
        return copy
    }
}

extension CodecFeedback {
    /// What every video codec is sent and asked with.
    package static let video: CodecFeedback = [.nack, .pli, .fir]
}
