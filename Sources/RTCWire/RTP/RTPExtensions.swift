/// The level of one packet's audio, RFC 6464 section 3.
///
/// ```
///   0 1 2 3 4 5 6 7
///  +-+-+-+-+-+-+-+-+
///  |V|    level    |
///  +-+-+-+-+-+-+-+-+
/// ```
package struct AudioLevel: Hashable, Sendable {
    /// Negated dBov, 0 (loudest) ... 127 (silence).
    package var level: UInt8
    /// Whether the encoder takes the audio for speech.
    package var voice: Bool

    package init(level: UInt8, voice: Bool) {
        self.level = min(level, 127)
        self.voice = voice
    }
}

/// When a frame was captured, "abs-capture-time" of the WebRTC project: 8 bytes, or 16 with a clock offset.
package struct AbsoluteCaptureTime: Hashable, Sendable {
    /// NTP time of the capturing system, 32.32 fixed point seconds since 1900.
    package var ntp: UInt64
    /// Estimated offset from the sender's clock to the capturer's, 32.32 fixed point seconds.
    package var clockOffset: Int64?

    package init(ntp: UInt64, clockOffset: Int64? = nil) {
        self.ntp = ntp
        self.clockOffset = clockOffset
    }
}

/// Bounds on the playout delay, "playout-delay" of the WebRTC project: twice 12 bits, in units of 10 ms.
package struct PlayoutDelay: Hashable, Sendable {
    /// In units of 10 ms, 0...4095.
    package var minimum: UInt16
    /// In units of 10 ms, 0...4095.
    package var maximum: UInt16

    package init(minimum: UInt16, maximum: UInt16) {
        self.minimum = min(minimum, 4095)
        self.maximum = min(maximum, 4095)
    }
}

/// The values of the header extensions that this engine reads and writes, one optional each.
package struct RTPExtensions: Hashable, Sendable {
    /// "Defined by profile" value of the one-byte form, RFC 8285 section 4.2.
    package static let oneByteProfile: UInt16 = 0xBEDE
    /// The same of the two-byte form without its four "appbits", RFC 8285 section 4.3.
    package static let twoByteProfile: UInt16 = 0x1000

    package var mid: ShortToken?
    package var rid: ShortToken?
    package var repairedRid: ShortToken?
    package var audioLevel: AudioLevel?
    /// Send time in 1/2^18 s, modulo 64 s: 24 bits.
    package var absSendTime: UInt32?
    package var transportSequenceNumber: UInt16?
    package var absCaptureTime: AbsoluteCaptureTime?
    package var playoutDelay: PlayoutDelay?
    /// Camera, flip and rotation bits, 3GPP TS 26.114 section 7.4.5.
    package var videoOrientation: UInt8?
    /// Transmission minus sampling time in RTP ticks, 24 bits signed (RFC 5450).
    package var transmissionOffset: Int32?
    /// 0 for real-time video, 1 for a screen.
    package var videoContentType: UInt8?
    /// What is passed on as it is: where it stands in the packet. `RTPOpaqueElements` are written.
    package var dependencyDescriptor = RTPElementPlace()
    package var colorSpace = RTPElementPlace()
    package var videoTiming = RTPElementPlace()

    package init() {}

    /// Reads the block that `header` names in `bytes`, the packet it was parsed from.
    ///
    /// Never fails: an element that reaches behind the block ends the walk, one of an impossible length or of an unbound
    /// identifier is skipped.
    package init(parsing bytes: RawSpan, header: RTPHeader, map: RTPExtensionMap) {
        self.init()
        if header.extensionLength != 0 { readElements(bytes, header, map) }
    }

    /// Not inlined, so that it fills the caller's value in place: put together in the initializer and copied out, the
    /// value costs half as much again.
    @inline(never)
    private mutating func readElements(_ bytes: RawSpan, _ header: RTPHeader, _ map: RTPExtensionMap) {
        var elements = RTPExtensionElements(header)
        while let element = elements.next(in: bytes) {
            guard let kind = map.kind(for: element.id) else { continue }
            read(kind, bytes, element.data)
        }
    }

    @inline(__always)
    private mutating func read(_ kind: RTPExtensionKind, _ bytes: RawSpan, _ data: Range<Int>) {
        let at = data.lowerBound
        let count = data.count
        switch kind {
        case .mid: mid = ShortToken(bytes.extracting(data))
        case .rid: rid = ShortToken(bytes.extracting(data))
        case .repairedRid: repairedRid = ShortToken(bytes.extracting(data))
        case .audioLevel: if count >= 1 { audioLevel = AudioLevel(octet: bytes.byte(at)) }
        case .absSendTime: if count == 3 { absSendTime = bytes.uint24(at) }
        // Version 2 of the extension appends a feedback request of two bytes.
        case .transportSequenceNumber: if count == 2 || count == 4 { transportSequenceNumber = bytes.uint16(at) }
        case .absCaptureTime: readCaptureTime(bytes, at, count)
        case .playoutDelay: if count == 3 { playoutDelay = PlayoutDelay(packed: bytes.uint24(at)) }
        case .videoOrientation: if count == 1 { videoOrientation = bytes.byte(at) }
        case .transmissionOffset:
            if count == 3 { transmissionOffset = Int32(bitPattern: bytes.uint24(at) << 8) >> 8 }
        case .videoContentType: if count == 1 { videoContentType = bytes.byte(at) }
        case .dependencyDescriptor: dependencyDescriptor = RTPElementPlace(data)
        case .colorSpace: if count == 4 || count == 28 { colorSpace = RTPElementPlace(data) }
        case .videoTiming: if count == 13 { videoTiming = RTPElementPlace(data) }
        default: break
        }
    }

    private mutating func readCaptureTime(_ bytes: RawSpan, _ at: Int, _ count: Int) {
        guard count == 8 || count == 16 else { return }
        let offset = count == 16 ? Int64(bitPattern: bytes.uint64(at + 8)) : nil
        absCaptureTime = AbsoluteCaptureTime(ntp: bytes.uint64(at), clockOffset: offset)
    }
}

extension AudioLevel {
    /// The byte of the wire.
    var octet: UInt8 { (level & 0x7f) | (voice ? 0x80 : 0) }

    init(octet: UInt8) { self.init(level: octet & 0x7f, voice: octet & 0x80 != 0) }
}

extension PlayoutDelay {
    /// The 24 bits of the wire.
    var packed: UInt32 { UInt32(minimum & 0xfff) << 12 | UInt32(maximum & 0xfff) }

    init(packed: UInt32) {
        self.init(minimum: UInt16(packed >> 12 & 0xfff), maximum: UInt16(packed & 0xfff))
    }
}
