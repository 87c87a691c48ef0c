import RTCWire

extension WireFuzzing {
    private static let map: RTPExtensionMap = {
        var map = RTPExtensionMap(RTPExtensionKind.allCases.map { (id: $0.rawValue + 1, kind: $0) })
        map.allowsMixed = true
        return map
    }()

    /// Header, extension elements and values, RTX; what was read and written again reads the same.
    package static func rtp(_ input: UnsafeRawBufferPointer) {
        let bytes = input.bytes
        _ = PacketKind.classify(bytes)
        guard var header = try? RTPHeader(parsing: bytes, encrypted: true) else {
            precondition((try? RTPHeader(parsing: bytes)) == nil, "opened, the header is worse than sealed")
            return
        }
        precondition(header.payloadOffset <= input.count)
        var elements = RTPExtensionElements(header)
        while let element = elements.next(in: bytes) {
            precondition(element.id != 0 && element.data.upperBound <= header.payloadOffset)
        }
        for index in 0...16 { _ = header.contributingSource(index, in: bytes) }
        guard (try? header.readPadding(in: bytes)) != nil else { return }
        precondition(header.payloadRange(in: input.count).upperBound <= input.count)
        if let original = RTX.restore(header, in: bytes, ssrc: 1, payloadType: 96) {
            precondition(original.payloadRange(in: input.count).upperBound <= input.count)
        }
        writeAgain(header, RTPExtensions(parsing: bytes, header: header, map: map))
    }

    private static func writeAgain(_ header: RTPHeader, _ extensions: RTPExtensions) {
        let copy = written(RTPHeader.fixedLength + extensions.encodedLength(map: map)) { buffer in
            RTPHeader.write(
                marker: header.marker, payloadType: header.payloadType, sequenceNumber: header.sequenceNumber,
                timestamp: header.timestamp, ssrc: header.ssrc, extensions: extensions, map: map, into: buffer)
        }
        copy.withUnsafeBytes { copy in
            guard let again = try? RTPHeader(parsing: copy.bytes) else { preconditionFailure("unreadable header") }
            precondition(again.payloadOffset == copy.count && again.ssrc == header.ssrc)
            precondition(again.sequenceNumber == header.sequenceNumber && again.timestamp == header.timestamp)
            precondition(again.marker == header.marker && again.payloadType == header.payloadType)
            // Elements that are only passed on say where they lie, and are not written here.
            var values = extensions
            values.dependencyDescriptor = RTPElementPlace()
            values.colorSpace = RTPElementPlace()
            values.videoTiming = RTPElementPlace()
            precondition(RTPExtensions(parsing: copy.bytes, header: again, map: map) == values)
        }
    }
}
