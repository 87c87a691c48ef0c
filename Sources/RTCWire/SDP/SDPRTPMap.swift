/// `a=rtpmap:<payload type> <codec>/<clock rate>[/<channels>]` (RFC 8866 section 6.6).
package struct SDPRTPMap: Hashable, Sendable {
    /// 0...127.
    package var payloadType: UInt8
    /// The codec's name as written; compare without regard to case.
    package var name: String
    /// Hz, at least 1.
    package var clockRate: Int
    /// 1 where nothing is stated.
    package var channels: Int

    package init(payloadType: UInt8, name: String, clockRate: Int, channels: Int = 1) {
        self.payloadType = payloadType
        self.name = name
        self.clockRate = clockRate
        self.channels = channels
    }

    package init?(parsing text: String) {
        let parts = text.fields()
        guard parts.count >= 2, let payloadType = UInt8(parts[0]), payloadType < 128 else { return nil }
        let codec = parts[1].fields(separator: UInt8(ascii: "/"))
        guard codec.count >= 2, let clockRate = UInt32(codec[1]), clockRate > 0 else { return nil }
        self.payloadType = payloadType
        name = codec[0]
        self.clockRate = Int(clockRate)
        channels = 1
        if codec.count > 2 {
            guard let count = UInt8(codec[2]), count > 0 else { return nil }
            channels = Int(count)
        }
    }
}

extension SDPRTPMap: CustomStringConvertible {
    package var description: String {
        "\(payloadType) \(name)/\(clockRate)" + (channels > 1 ? "/\(channels)" : "")
    }
}
