import RTCWire

/// One codec that we can send, receive or forward, as data: negotiation knows no codec by itself.
package struct CodecCapability: Hashable, Sendable {
    /// A format parameter on which both sides must agree for the codec to be the same one.
    package struct ParameterRule: Hashable, Sendable {
        package var name: String
        /// The value where none is stated.
        package var defaultValue: String
        /// How many characters count; nil for all. The last two of H.264's profile-level-id are a level, which is free;
        /// with 0 any value will do and an answer repeats the offer's.
        package var significantPrefix: Int?

        package init(_ name: String, defaultValue: String, significantPrefix: Int? = nil) {
            self.name = name
            self.defaultValue = defaultValue
            self.significantPrefix = significantPrefix
        }
    }

    /// `.audio` or `.video`.
    package var kind: SDPMediaKind
    /// As in `a=rtpmap`; compared without regard to case.
    package var name: String
    /// RTP clock in Hz.
    package var clockRate: Int
    /// 1 for everything but stereo audio; Opus always says 2 (RFC 7587 section 7).
    package var channels: Int
    /// What we ask for, in our `a=fmtp`.
    package var parameters: SDPFormatParameters
    package var rules: [ParameterRule]
    /// What we send and understand; an answer holds what both sides do.
    package var feedback: CodecFeedback
    /// Retransmission as a stream of its own (RFC 4588).
    package var hasRTX: Bool
    /// The codec, by name, whose frames this one wraps: its format parameters are that codec's payload types (RFC 2198
    /// section 5).
    package var carries: String?
    /// Payload type in our offers with fixed numbering, and always where it is below 35 (RFC 3551).
    package var payloadType: UInt8?

    package init(
        kind: SDPMediaKind, name: String, clockRate: Int, channels: Int = 1, parameters: SDPFormatParameters = "",
        rules: [ParameterRule] = [], feedback: CodecFeedback = [], hasRTX: Bool = false, carries: String? = nil,
        payloadType: UInt8? = nil
    ) {
        self.kind = kind
        self.name = name
        self.clockRate = clockRate
        self.channels = channels
        self.parameters = parameters
        self.rules = rules
        self.feedback = feedback
        self.hasRTX = hasRTX
        self.carries = carries
        self.payloadType = payloadType
    }

    /// True where `codec` of the other side is this one.
    package func matches(_ codec: RemoteCodec) -> Bool {
        guard codec.clockRate == clockRate, codec.channels == channels,
            codec.name.asciiLowercased == name.asciiLowercased
        else { return false }
        return rules.allSatisfy { rule in
            rule.significant(codec.parameters[rule.name]) == rule.significant(parameters[rule.name])
        }
    }

    /// What our answer says for `codec`: our own wishes, with the offerer's values where both must agree.
    package func answerParameters(to codec: RemoteCodec) -> SDPFormatParameters {
        if carries != nil { return codec.parameters }
        var result = parameters
        for rule in rules {
            if let value = codec.parameters[rule.name] { result[rule.name] = value }
        }
        let start = CodecCapability.startBitrate
        if let bitrate = codec.parameters[start] { result[start] = bitrate }
        return result
    }

    /// What a libwebrtc sender wants to begin with, in kbit/s. It listens only to the other side's description, so it
    /// writes the value into its offer for the answer to repeat.
    private static let startBitrate = "x-google-start-bitrate"
}

extension CodecCapability.ParameterRule {
    fileprivate func significant(_ value: String?) -> String {
        let text = (value ?? defaultValue).asciiLowercased
        return significantPrefix.map { String(text.prefix($0)) } ?? text
    }
}
