import RTCCore
import RTCWire

/// What the beginning of a payload says.
enum PayloadHead {
    case none
    case vp8(VP8PayloadDescriptor)
    case vp9(VP9PayloadDescriptor)
}

/// A producer's packet on its way to the consumers: read once, shared by all, edited by none.
package struct SourcePacket: ~Copyable {
    /// Without wrap-around.
    package var sequence: Int64
    package var timestamp: UInt32
    package var marker: Bool
    /// Those that travel on; what belongs to one connection (mid, rid, send time ...) is left out.
    package var extensions: RTPExtensions
    /// Extensions that travel on as they are; valid during the call only.
    package var opaque: RTPOpaqueElements
    /// Valid during the call only; empty in a packet of padding alone.
    package var payload: UnsafeRawBufferPointer
    package var arrival: Instant
    var format: PacketFormat
    /// Of payloads that are long enough to have one.
    var head: PayloadHead = .none
    /// Read where the payload itself names no layers.
    var dependency: DependencyDescriptor?
    /// Forwarding may begin here.
    package var startsKeyFrame: Bool
    /// Parameter sets stand in this packet: of two packets of a key frame the one to begin with.
    var hasParameterSet = false

    init(
        sequence: Int64, timestamp: UInt32, marker: Bool, extensions: RTPExtensions,
        opaque: RTPOpaqueElements = RTPOpaqueElements(), payload: UnsafeRawBufferPointer, arrival: Instant,
        codec: MediaCodec, format: PacketFormat = .primary
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.marker = marker
        self.extensions = extensions
        self.opaque = opaque
        self.payload = payload
        self.arrival = arrival
        self.format = format
        startsKeyFrame = !codec.needsKeyFrame
        readPayload(codec)
    }

    init(
        _ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, codec: MediaCodec, format: PacketFormat
    ) {
        var extensions = RTPExtensions()
        extensions.audioLevel = packet.extensions.audioLevel
        extensions.absCaptureTime = packet.extensions.absCaptureTime
        extensions.playoutDelay = packet.extensions.playoutDelay
        extensions.videoOrientation = packet.extensions.videoOrientation
        extensions.videoContentType = packet.extensions.videoContentType
        self.init(
            sequence: packet.sequence, timestamp: packet.header.timestamp, marker: packet.header.marker,
            extensions: extensions, opaque: RTPOpaqueElements(packet.extensions, in: buffer),
            payload: UnsafeRawBufferPointer(rebasing: buffer[packet.payload]), arrival: packet.arrival, codec: codec,
            format: format)
    }

    private mutating func readPayload(_ codec: MediaCodec) {
        switch codec {
        case .vp8:
            guard let descriptor = try? VP8PayloadDescriptor(parsing: payload.bytes) else { return }
            head = .vp8(descriptor)
            startsKeyFrame = descriptor.startsKeyFrame(in: payload.bytes)
        case .vp9:
            guard let descriptor = try? VP9PayloadDescriptor(parsing: payload.bytes) else { return }
            head = .vp9(descriptor)
            startsKeyFrame = descriptor.startsKeyFrame
        case .h264:
            guard let units = try? H264Payload(parsing: payload.bytes) else { return }
            startsKeyFrame = units.hasParameterSet || units.startsIDR
            hasParameterSet = units.hasParameterSet
        case .h265:
            guard let units = try? H265Payload(parsing: payload.bytes) else { return }
            startsKeyFrame = units.hasParameterSet || units.startsIRAP
            hasParameterSet = units.hasParameterSet
        case .av1:
            guard let units = try? AV1Payload(parsing: payload.bytes) else { return }
            startsKeyFrame = units.startsKeyFrame
        case .opus, .otherAudio, .otherVideo: break
        }
    }

    /// The payload itself names no layers, so that the dependency descriptor has to: with most codecs always, with VP8
    /// where the sender leaves picture ids and layers out of the payload because they stand there.
    func needsDependency(_ codec: MediaCodec) -> Bool {
        guard !opaque.dependencyDescriptor.isEmpty else { return false }
        if case .vp8(let descriptor) = head { return descriptor.temporalID == nil }
        return codec.usesDependencyDescriptor
    }

    /// Reads the dependency descriptor with the structure that its stream has now.
    mutating func readDependency(_ structure: inout DependencyStructure?) {
        guard !opaque.dependencyDescriptor.isEmpty else { return }
        dependency = try? DependencyDescriptor(parsing: opaque.dependencyDescriptor.bytes, structure: &structure)
    }

    /// The spatial layer within the stream, where the packet says one.
    var spatialID: UInt8? {
        if case .vp9(let descriptor) = head, descriptor.hasLayers { return descriptor.spatialID }
        return dependency?.spatialID
    }

    /// The temporal layer, where the packet says one.
    var temporalID: UInt8? {
        switch head {
        case .vp8(let descriptor): descriptor.temporalID ?? dependency?.temporalID
        case .vp9(let descriptor): descriptor.hasLayers ? descriptor.temporalID : nil
        case .none: dependency?.temporalID
        }
    }
}
