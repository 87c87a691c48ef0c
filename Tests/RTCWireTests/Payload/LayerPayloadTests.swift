import RTCWire
import Testing

/// Payload headers put together by hand: what recordings don't have, and what is broken.
struct LayerPayloadTests {
    private func h264(_ text: String) throws(WireError) -> H264Payload {
        try withSpan(hex(text)) { span throws(WireError) in try H264Payload(parsing: span) }
    }

    private func av1(_ text: String) throws(WireError) -> AV1Payload {
        try withSpan(hex(text)) { span throws(WireError) in try AV1Payload(parsing: span) }
    }

    private func vp9(_ text: String) throws(WireError) -> VP9PayloadDescriptor {
        try withSpan(hex(text)) { span throws(WireError) in try VP9PayloadDescriptor(parsing: span) }
    }

    @Test func h264Units() throws {
        // One SPS; STAP-A of SPS, PPS and IDR; the first and the second fragment of an IDR; a plain slice.
        #expect(try h264("67 42 00").hasParameterSet)
        let aggregate = try h264("78 0002 6742 0001 68 0002 6588")
        #expect(aggregate.hasParameterSet && aggregate.startsIDR && aggregate.unitCount == 3)
        let first = try h264("7c 85 88")
        #expect(first.startsIDR && !first.hasParameterSet)
        #expect(try !h264("7c 05 88").startsIDR)
        #expect(try h264("41 9a").unitCount == 1)
        for broken in ["", "7c", "78 00", "78 0000", "78 0005 67"] {
            #expect(throws: WireError.truncated) { try h264(broken) }
        }
    }

    @Test func h265Units() throws {
        func units(_ text: String) throws(WireError) -> H265Payload {
            try withSpan(hex(text)) { span throws(WireError) in try H265Payload(parsing: span) }
        }
        // VPS; aggregate of SPS and IDR_W_RADL; the first fragment of a CRA picture, and a later one; a trailing slice.
        #expect(try units("40 01 0c").hasParameterSet)
        let aggregate = try units("60 01 0003 420101 0003 260100")
        #expect(aggregate.hasParameterSet && aggregate.startsIRAP && aggregate.unitCount == 2)
        #expect(try units("62 01 95 00").startsIRAP)
        #expect(try !units("62 01 15 00").startsIRAP)
        #expect(try units("02 01 d0").unitCount == 1)
        for broken in ["", "40", "62 01", "60 01 0001 42"] {
            #expect(throws: WireError.truncated) { try units(broken) }
        }
    }

    @Test func av1Elements() throws {
        // W = 2: a temporal unit's sequence header (with a length), then a frame.
        let two = try av1("28 03 0a0b00 32 00")
        #expect(two.hasSequenceHeader && two.startsSequence && two.elementCount == 2 && two.startsKeyFrame)
        // A continued element is no header, whatever its first byte looks like.
        let rest = try av1("90 0a 00")
        #expect(!rest.hasSequenceHeader && rest.continuesElement && !rest.startsKeyFrame)
        // W = 0: each element has a length.
        #expect(try av1("00 02 3000 01 0a").elementCount == 2)
        #expect(throws: WireError.truncated) { try av1("") }
        #expect(throws: WireError.truncated) { try av1("00 05 30") }
        #expect(throws: WireError.invalidValue) { try av1("00 ffffffffffffffffff") }
    }

    @Test func vp9FlexibleMode() throws {
        // I P L F B E, a picture id of 7 bits, TID 1 U SID 2 D, two references.
        let descriptor = try vp9("fc 05 35 03 04")
        #expect(descriptor.pictureID == 5 && descriptor.pictureIDWidth == .sevenBits && descriptor.isFlexible)
        #expect(descriptor.temporalID == 1 && descriptor.isSwitchingPoint && descriptor.spatialID == 2)
        #expect(descriptor.isInterLayerPredicted && descriptor.tl0PicIdx == nil)
        #expect(descriptor.referenceCount == 2 && descriptor.references[0] == 1 && descriptor.references[1] == 2)
        #expect(descriptor.startsFrame && descriptor.endsFrame && !descriptor.startsKeyFrame)
        #expect(written { descriptor.writeHead(pictureID: 130, tl0PicIdx: 9, into: $0) } == [0xfc, 0x02, 0x35])
        #expect(throws: WireError.invalidValue) { try vp9("fc 05 35 03 03 03 03") }
        for broken in ["", "80", "80 80", "a0 05", "fc 05 35", "fc 05 35 03"] {
            #expect(throws: WireError.truncated) { try vp9(broken) }
        }
    }

    @Test func aStructureIsNeededForADependencyDescriptor() {
        var structure: DependencyStructure?
        #expect(throws: WireError.invalidValue) {
            try withSpan(hex("c0 0001")) { span throws(WireError) in
                _ = try DependencyDescriptor(parsing: span, structure: &structure)
            }
        }
        #expect(throws: WireError.truncated) {
            try withSpan(hex("c0 00")) { span throws(WireError) in
                _ = try DependencyDescriptor(parsing: span, structure: &structure)
            }
        }
    }

    /// Extensions whose data is passed on: in the one-byte form where all fit, else in the two-byte form.
    @Test func opaqueElementsTravelInBothForms() throws {
        var map = RTPExtensionMap([(4, .mid), (12, .dependencyDescriptor), (8, .colorSpace), (6, .videoContentType)])
        map.allowsMixed = true
        var extensions = RTPExtensions()
        extensions.mid = ShortToken("3")
        extensions.videoContentType = 1
        for length in [3, 16, 17, 90] {
            let descriptor = (0..<length).map { UInt8($0) }
            let color: [UInt8] = [1, 2, 3, 4]
            let packet = written { buffer in
                descriptor.withUnsafeBytes { descriptor in
                    color.withUnsafeBytes { color in
                        var opaque = RTPOpaqueElements()
                        opaque.dependencyDescriptor = descriptor
                        opaque.colorSpace = color
                        return RTPHeader.write(
                            marker: false, payloadType: 96, sequenceNumber: 1, timestamp: 2, ssrc: 3,
                            extensions: extensions, opaque: opaque, map: map, into: buffer)
                    }
                }
            }
            let header = try rtpHeader(packet)
            #expect(header.extensionProfile == (length > 16 ? 0x1000 : 0xbede))
            let read = header.extensions(in: packet, map)
            #expect(read.mid == ShortToken("3") && read.videoContentType == 1)
            packet.withUnsafeBytes {
                #expect(Array(read.dependencyDescriptor.data(in: $0)) == descriptor)
                #expect(Array(read.colorSpace.data(in: $0)) == color)
                #expect(read.videoTiming.data(in: $0).isEmpty)
            }
        }
    }
}
