import RTCCore
import RTCWire

/// A producer's packet on its way to the consumers: read once, shared by all, edited by none.
package struct SourcePacket {
    /// Without wrap-around.
    package var sequence: Int64
    package var timestamp: UInt32
    package var marker: Bool
    /// Those that travel on; what belongs to one connection (mid, rid, send time ...) is left out.
    package var extensions: RTPExtensions
    /// Valid during the call only; empty in a packet of padding alone.
    package var payload: UnsafeRawBufferPointer
    package var arrival: Instant
    /// The descriptor at the beginning of a VP8 payload; nil for other formats and for payloads too short to have one.
    package var descriptor: VP8PayloadDescriptor?
    /// Forwarding may begin here.
    package var startsKeyFrame: Bool

    init(
        sequence: Int64, timestamp: UInt32, marker: Bool, extensions: RTPExtensions, payload: UnsafeRawBufferPointer,
        arrival: Instant, codec: MediaCodec
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.marker = marker
        self.extensions = extensions
        self.payload = payload
        self.arrival = arrival
        startsKeyFrame = !codec.needsKeyFrame
        if codec == .vp8, let descriptor = try? VP8PayloadDescriptor(parsing: payload.bytes) {
            self.descriptor = descriptor
            startsKeyFrame = descriptor.startsKeyFrame(in: payload.bytes)
        }
    }

    init(_ packet: ReceivedRTP, payload: UnsafeRawBufferPointer, codec: MediaCodec) {
        var extensions = RTPExtensions()
        extensions.audioLevel = packet.extensions.audioLevel
        extensions.absCaptureTime = packet.extensions.absCaptureTime
        extensions.playoutDelay = packet.extensions.playoutDelay
        extensions.videoOrientation = packet.extensions.videoOrientation
        self.init(
            sequence: packet.sequence, timestamp: packet.header.timestamp, marker: packet.header.marker,
            extensions: extensions, payload: payload, arrival: packet.arrival, codec: codec)
    }
}
