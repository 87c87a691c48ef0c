import RTCWire

extension MediaLine {
    /// The codec of this line under which packets of `codec`, agreed on another connection, can be sent here; nil where
    /// the other side knows none that carries them.
    ///
    /// Of H.264 the same profile and packetization mode come first; decoders take the other profiles too.
    package func counterpart(of codec: NegotiatedCodec) -> NegotiatedCodec? {
        let candidates = codecs.filter { $0.isSameFormat(as: codec) }
        return candidates.max { $0.likeness(to: codec) < $1.likeness(to: codec) }
    }

    /// The codec of that name and clock rate.
    package func codec(named name: String, clockRate: Int) -> NegotiatedCodec? {
        codecs.first { $0.name.asciiLowercased == name.asciiLowercased && $0.clockRate == clockRate }
    }
}

extension NegotiatedCodec {
    /// Packets of the other codec are packets of this one.
    fileprivate func isSameFormat(as other: NegotiatedCodec) -> Bool {
        guard name.asciiLowercased == other.name.asciiLowercased, clockRate == other.clockRate,
            channels == other.channels
        else { return false }
        switch name.asciiLowercased {
        case "vp9": return isEqual(other, "profile-id", "0")
        case "av1": return isEqual(other, "profile", "0")
        default: return true
        }
    }

    fileprivate func likeness(to other: NegotiatedCodec) -> Int {
        guard name.asciiLowercased == "h264" else { return 0 }
        let mode = isEqual(other, "packetization-mode", "0") ? 2 : 0
        let profile = (remoteParameters["profile-level-id"] ?? "42000a").asciiLowercased.prefix(4)
        return mode
            + (profile == (other.remoteParameters["profile-level-id"] ?? "42000a").asciiLowercased.prefix(4) ? 1 : 0)
    }

    private func isEqual(_ other: NegotiatedCodec, _ parameter: String, _ defaultValue: String) -> Bool {
        (remoteParameters[parameter] ?? defaultValue) == (other.remoteParameters[parameter] ?? defaultValue)
    }
}
