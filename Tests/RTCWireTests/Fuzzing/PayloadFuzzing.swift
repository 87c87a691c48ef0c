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

    /// One byte that chooses, then a payload of any of the other formats, or a dependency descriptor behind another.
    package static func payload(_ input: UnsafeRawBufferPointer) {
        guard let choice = input.first else { return }
        let payload = UnsafeRawBufferPointer(rebasing: input.dropFirst())
        guard choice != .max else { return h264(payload) }
        switch choice % 5 {
        case 0: vp9(payload)
        case 1: _ = try? H264Payload(parsing: payload.bytes)
        case 2: _ = try? H265Payload(parsing: payload.bytes)
        case 3: _ = try? AV1Payload(parsing: payload.bytes)
        default: dependencies(payload)
        }
    }

    /// An access unit that is cut: no packet is too long, and no byte is sent twice.
    private static func h264(_ input: UnsafeRawBufferPointer) {
        guard let room = input.first.map({ Int($0) + 16 }) else { return }
        let unit = UnsafeRawBufferPointer(rebasing: input.dropFirst())
        var packetizer = H264Packetizer(unit, maximumPayload: room)
        var (bytes, isEnded) = (0, false)
        withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) { scratch in
            while let packet = packetizer.next(into: scratch) {
                precondition(!isEnded && packet.count > 0 && packet.count <= room)
                let payload = UnsafeRawBufferPointer(rebasing: scratch[..<packet.count])
                let isFragment = payload[0] & 0x1f == 28
                bytes += isFragment ? packet.count - (payload[1] & 0x80 != 0 ? 1 : 2) : 0
                isEnded = packet.isLast
            }
        }
        precondition(bytes <= unit.count)
    }

    private static func vp9(_ payload: UnsafeRawBufferPointer) {
        guard let descriptor = try? VP9PayloadDescriptor(parsing: payload.bytes) else { return }
        let head = written(16) {
            descriptor.writeHead(
                pictureID: descriptor.pictureID ?? 0, tl0PicIdx: descriptor.tl0PicIdx ?? 0, into: $0)
        }
        precondition(head.count <= payload.count && zip(head, payload).allSatisfy(==))
        guard let length = try? descriptor.encodedLength(in: payload.bytes) else { return }
        precondition(length >= head.count && length <= payload.count)
    }

    /// Descriptors behind their lengths, of one stream.
    private static func dependencies(_ input: UnsafeRawBufferPointer) {
        var structure: DependencyStructure?
        var rest = input
        while let length = rest.first, Int(length) < rest.count {
            let bytes = UnsafeRawBufferPointer(rebasing: rest[1..<(Int(length) + 1)])
            rest = UnsafeRawBufferPointer(rebasing: rest[(Int(length) + 1)...])
            guard !bytes.isEmpty,
                let descriptor = try? DependencyDescriptor(parsing: bytes.bytes, structure: &structure),
                let structure
            else { continue }
            let copy = written(320) {
                descriptor.write(
                    copyOf: bytes.bytes, frameNumber: 9, activeTargets: structure.allTargets,
                    decodeTargets: structure.decodeTargets, into: $0)
            }
            var again: DependencyStructure? = structure
            let read = copy.withUnsafeBytes { try? DependencyDescriptor(parsing: $0.bytes, structure: &again) }
            precondition(copy.count > 255 || read?.indications == descriptor.indications && again == structure)
        }
    }
}
