import RTCWire

extension WireFuzzing {
    /// A VP8 payload: descriptor, its copies, and the frame header behind it.
    package static func vp8(_ input: UnsafeRawBufferPointer) {
        guard let descriptor = try? VP8PayloadDescriptor(parsing: input.bytes) else { return }
        let length = descriptor.encodedLength
        precondition(length <= input.count && length <= VP8PayloadDescriptor.maximumLength)
        _ = descriptor.startsKeyFrame(in: input.bytes)
        let copy = written(length) { descriptor.write(into: $0) }
        precondition(copy.count == length)
        copy.withUnsafeBytes { precondition((try? VP8PayloadDescriptor(parsing: $0.bytes)) == descriptor) }
        let renumbered = descriptor.renumbered(pictureID: 0x7fff, tl0PicIdx: 0xff)
        precondition(written(length) { renumbered.write(into: $0) }.count == length)
        if let frame = try? VP8FrameHeader(parsing: UnsafeRawBufferPointer(rebasing: input[length...]).bytes) {
            precondition(!frame.isKeyFrame || frame.width > 0 && frame.height > 0)
        }
    }

    /// An Opus payload's table of contents.
    package static func opus(_ input: UnsafeRawBufferPointer) {
        guard let payload = try? OpusPayload(parsing: input.bytes) else { return }
        precondition((120...OpusPayload.maximumSamples).contains(payload.samples))
        precondition((1...2).contains(payload.channels) && (1...48).contains(payload.frameCount))
    }
}
