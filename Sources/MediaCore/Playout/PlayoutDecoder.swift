/// What a jitter buffer has to know of a packet before it decodes it.
package struct PlayoutPacketInfo: Hashable, Sendable {
    /// Samples per channel at 48 kHz that the packet decodes to.
    package var frameCount: Int
    /// Samples per channel of the packet before this one that can be rebuilt from this one; 0 without redundancy.
    package var redundantFrameCount: Int
    /// The sender fell silent here: until the next packet comfort noise is right and nothing is lost.
    package var isSilenceMarker: Bool

    package init(frameCount: Int, redundantFrameCount: Int = 0, isSilenceMarker: Bool = false) {
        self.frameCount = frameCount
        self.redundantFrameCount = redundantFrameCount
        self.isSilenceMarker = isSilenceMarker
    }
}

/// A decoder that a jitter buffer drives: 48 kHz, 16-bit, interleaved. `OpusDecoder` is one.
///
/// For each packet of the stream exactly one of `decode`, `conceal` and `recover` is called, in stream order.
package protocol PlayoutDecoder: AnyObject {
    /// Channels delivered, 1 or 2.
    var channels: Int { get }

    /// Looks at a payload; nil where it can't be a packet of this codec.
    static func inspect(_ packet: UnsafeRawBufferPointer) -> PlayoutPacketInfo?

    /// Decodes one packet; returns samples per channel written. There is room for 5,760 per channel.
    func decode(
        _ packet: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Int16>
    ) throws(CodecError) -> Int

    /// Continues the sound in place of a lost packet; fills `samples`, a multiple of 2.5 ms.
    func conceal(into samples: UnsafeMutableBufferPointer<Int16>) throws(CodecError)

    /// Rebuilds what was lost just before `packet` from the copy inside it; fills `samples`.
    func recover(
        from packet: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Int16>
    ) throws(CodecError)

    /// Forgets all history.
    func reset()
}
