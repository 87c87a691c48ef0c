import RTCWire
import Testing

/// VP9, H.264 and AV1 payloads and dependency descriptors of recorded sessions against what is known of them.
struct LayerVectorTests {
    struct Packet {
        var bytes: [UInt8]
        var header: RTPHeader
        var extensions: RTPExtensions
        var payload: [UInt8] { Array(bytes[header.payloadRange(in: bytes.count)]) }
        var descriptor: [UInt8] {
            bytes.withUnsafeBytes { Array(extensions.dependencyDescriptor.data(in: $0)) }
        }
    }

    /// The packets of the media stream with known key frames, in order of their numbers.
    static func media(_ name: String, _ payloadType: UInt8) throws -> (packets: [Packet], facts: SessionFacts.Stream) {
        let facts = try SessionFacts.of(name)
        var map = RTPExtensionMap()
        for (id, uris) in facts.offerExtmap {
            guard let id = UInt8(id), let kind = uris.compactMap({ RTPExtensionKind(uri: $0) }).first else { continue }
            map.set(id, kind)
        }
        let all = try Pcap.read(facts.file).filter { datagram in
            withSpan(datagram.payload) { PacketKind.classify($0) } == .rtp
        }
        let packets = try all.map { datagram in
            let header = try rtpHeader(datagram.payload)
            return Packet(
                bytes: datagram.payload, header: header, extensions: header.extensions(in: datagram.payload, map))
        }.filter { $0.header.payloadType == payloadType && !$0.payload.isEmpty }
        let ssrc = try #require(packets.first?.header.ssrc)
        let stream = try #require(facts.rtp[String(ssrc)])
        return (packets.filter { $0.header.ssrc == ssrc }, stream)
    }

    private func keyFrames(_ packets: [Packet], _ isStart: (Packet) throws -> Bool) rethrows -> [UInt32] {
        var found: [UInt32] = []
        for packet in packets where try isStart(packet) {
            if found.last != packet.header.timestamp { found.append(packet.header.timestamp) }
        }
        return found
    }

    @Test(arguments: [("vp9-svc", 2), ("vp9-l3t3", 3)])
    func vp9(name: String, spatialLayers: Int) throws {
        let (packets, facts) = try Self.media(name, 98)
        #expect(packets.count == facts.packets)
        var layers: [UInt8: Int] = [:]
        var temporal: Set<UInt8> = []
        var announced: [Int: UInt16] = [:]
        let found = try keyFrames(packets) { packet in
            let payload = packet.payload
            return try withSpan(payload) { span in
                let descriptor = try VP9PayloadDescriptor(parsing: span)
                let head = written { buffer in
                    descriptor.writeHead(
                        pictureID: descriptor.pictureID ?? 0, tl0PicIdx: descriptor.tl0PicIdx ?? 0, into: buffer)
                }
                #expect(head == Array(payload.prefix(head.count)) && head.count >= 3)
                let length = try descriptor.encodedLength(in: span)
                #expect(length < payload.count)
                if descriptor.startsFrame { layers[descriptor.spatialID, default: 0] += 1 }
                temporal.insert(descriptor.temporalID)
                if let offset = descriptor.structureOffset {
                    let structure = try VP9ScalabilityStructure(parsing: span, at: offset)
                    announced[structure.spatialLayers] = structure.widths[structure.spatialLayers - 1]
                } else {
                    #expect(!descriptor.startsKeyFrame)
                }
                return descriptor.startsKeyFrame
            }
        }
        #expect(found == facts.keyFrameTimestamps && found.count == facts.keyFrames)
        #expect(layers.count == spatialLayers && temporal == [0, 1, 2])
        // Bandwidth lets the sender begin with fewer layers than it has in the end.
        #expect(announced[spatialLayers] == (spatialLayers == 2 ? 640 : 960))
    }

    @Test func h264() throws {
        let (packets, facts) = try Self.media("h264", 102)
        var sets: Set<UInt32> = []
        let found = try keyFrames(packets) { packet in
            try withSpan(packet.payload) { span in
                let units = try H264Payload(parsing: span)
                if units.hasParameterSet { sets.insert(packet.header.timestamp) }
                return units.hasParameterSet || units.startsIDR
            }
        }
        #expect(found == facts.keyFrameTimestamps && found.count == facts.keyFrames)
        #expect(sets == Set(found))
    }

    @Test(arguments: ["av1-dd", "av1-l1t3"])
    func av1(name: String) throws {
        let (packets, facts) = try Self.media(name, 45)
        let found = try keyFrames(packets) { packet in
            try withSpan(packet.payload) { try AV1Payload(parsing: $0).startsKeyFrame }
        }
        #expect(found == facts.keyFrameTimestamps && found.count == facts.keyFrames)
    }

    @Test(arguments: [
        ("av1-dd", 45 as UInt8, 1 as UInt8, 2 as UInt8), ("av1-l1t3", 45, 0, 2), ("vp9-svc", 98, 1, 2),
        ("vp9-l3t3", 98, 2, 2),
    ])
    func dependencyDescriptors(name: String, payloadType: UInt8, spatial: UInt8, temporal: UInt8) throws {
        let (packets, facts) = try Self.media(name, payloadType)
        var structure: DependencyStructure?
        var structures: [UInt32] = []
        var seen: Set<[UInt8]> = []
        for packet in packets {
            let bytes = packet.descriptor
            let descriptor = try withSpan(bytes) { try DependencyDescriptor(parsing: $0, structure: &structure) }
            let current = try #require(structure)
            if descriptor.hasStructure, structures.last != packet.header.timestamp {
                structures.append(packet.header.timestamp)
            }
            seen.insert([descriptor.spatialID, descriptor.temporalID])
            #expect(current.decodeTargets == Int(spatial + 1) * Int(temporal + 1))
            #expect(current.targetLayers.map(\.spatial).max() == spatial)
            #expect(current.targetLayers.map(\.temporal).max() == temporal)
            try checkCopies(of: descriptor, bytes, current)
        }
        #expect(structures == facts.keyFrameTimestamps)
        #expect(seen.count == Int(spatial + 1) * Int(temporal + 1))
    }

    /// A copy with the same number is the original; one with other targets says just that.
    private func checkCopies(
        of descriptor: DependencyDescriptor, _ bytes: [UInt8], _ structure: DependencyStructure
    ) throws {
        let same = written { buffer in
            withSpan(bytes) { descriptor.write(copyOf: $0, frameNumber: descriptor.frameNumber, into: buffer) }
        }
        #expect(same == bytes)
        let limited = written { buffer in
            withSpan(bytes) {
                descriptor.write(
                    copyOf: $0, frameNumber: 7, activeTargets: 1, decodeTargets: structure.decodeTargets, into: buffer)
            }
        }
        var again: DependencyStructure? = structure
        let read = try withSpan(limited) { try DependencyDescriptor(parsing: $0, structure: &again) }
        #expect(read.frameNumber == 7 && read.activeTargets == 1 && again == structure)
        #expect(read.indications == descriptor.indications && read.referenceCount == descriptor.referenceCount)
        #expect(read.hasStructure == descriptor.hasStructure && read.templateID == descriptor.templateID)
        for index in 0..<read.referenceCount { #expect(read.references[index] == descriptor.references[index]) }
    }
}
