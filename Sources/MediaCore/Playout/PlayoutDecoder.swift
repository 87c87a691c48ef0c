/// What a jitter buffer has to know of a packet before it decodes it. Small: a buffer keeps one per place.
package struct PlayoutPacketInfo: Hashable, Sendable {
    private let frames: UInt16
    private let redundantFrames: UInt16
    /// The sender fell silent here: until the next packet comfort noise is right and nothing is lost.
    package let isSilenceMarker: Bool

    /// Both counts at most 5,760 (120 ms); larger ones are held to that.
    package init(frameCount: Int, redundantFrameCount: Int = 0, isSilenceMarker: Bool = false) {
        frames = UInt16(min(max(frameCount, 0), 5_760))
        redundantFrames = UInt16(min(max(redundantFrameCount, 0), 5_760))
        self.isSilenceMarker = isSilenceMarker
    }

    /// Samples per channel at 48 kHz that the packet decodes to.
    package var frameCount: Int { Int(frames) }
    /// Samples per channel of the packet before this one that can be rebuilt from this one; 0 without redundancy.
    package var redundantFrameCount: Int { Int(redundantFrames) }
}

/// A decoder that a jitter buffer drives: 48 kHz, 16-bit, interleaved. `OpusDecoder` is one.
///
/// `decode` and `recover` are called in stream order, for packets that are there; `conceal` where the sender has stopped, and before
/// the first packet. What is lost the buffer invents itself (`SoundContinuation`).
package protocol PlayoutDecoder: AnyObject {
    /// Channels delivered, 1 or 2.
    var channels: Int { get }

    /// Looks at a payload; nil where it can't be a packet of this codec.
    static func inspect(_ packet: UnsafeRawBufferPointer) -> PlayoutPacketInfo?

    /// Decodes one packet; returns samples per channel written. There is room for as many as `inspect` said.
    func decode(
        _ packet: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Int16>
    ) throws(CodecError) -> Int

    /// Continues the sound without a packet; fills `samples`, a multiple of 2.5 ms.
    func conceal(into samples: UnsafeMutableBufferPointer<Int16>) throws(CodecError)

    /// Rebuilds what was lost just before `packet` from the copy inside it; fills `samples`.
    func recover(
        from packet: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Int16>
    ) throws(CodecError)

    /// Forgets all history.
    func reset()
}
