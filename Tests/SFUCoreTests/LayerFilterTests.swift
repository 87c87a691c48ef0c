import RTCWire
import Testing

@testable import SFUCore

/// Which packets of a stream with layers pass, packet by packet.
@Suite struct LayerFilterTests {
    private func judge(
        _ filter: inout LayerFilter, _ payload: [UInt8], _ codec: MediaCodec, timestamp: UInt32,
        contents: borrowing LayerContents = LayerContents(), isNewest: Bool = true, marker: Bool = false
    ) -> LayerFilter.Verdict {
        payload.withUnsafeBytes {
            filter.judge(
                SourcePacket(
                    sequence: 0, timestamp: timestamp, marker: marker, extensions: RTPExtensions(), payload: $0,
                    arrival: .zero, codec: codec),
                of: contents, isNewest: isNewest)
        }
    }

    private func vp8(temporal: UInt8, sync: Bool = false, key: Bool = false) -> [UInt8] {
        var head = VP8PayloadDescriptor()
        head.startsPartition = true
        head.pictureID = 1
        head.tl0PicIdx = 1
        head.temporalID = temporal
        head.isLayerSync = sync
        var bytes = [UInt8](repeating: 0, count: head.encodedLength)
        _ = bytes.withUnsafeMutableBytes { head.write(into: $0) }
        return bytes + [key ? 0x10 : 0x11, 0, 0]
    }

    @Test func vp8LayersAreTakenUpInSyncAndGivenUpAtOnce() {
        var filter = LayerFilter()
        filter.limit = LayerPoint(spatial: 0, temporal: 0)
        filter.begin()
        #expect(judge(&filter, vp8(temporal: 0, key: true), .vp8, timestamp: 0).isTaken)
        #expect(!judge(&filter, vp8(temporal: 1, sync: true), .vp8, timestamp: 1).isTaken)
        filter.limit.temporal = 2
        #expect(!judge(&filter, vp8(temporal: 1), .vp8, timestamp: 2).isTaken, "not in sync")
        #expect(!judge(&filter, vp8(temporal: 2, sync: true), .vp8, timestamp: 3).isTaken, "one layer after the other")
        #expect(judge(&filter, vp8(temporal: 1, sync: true), .vp8, timestamp: 4).isTaken)
        #expect(judge(&filter, vp8(temporal: 2, sync: true), .vp8, timestamp: 5).isTaken)
        filter.limit.temporal = 1
        #expect(judge(&filter, vp8(temporal: 2), .vp8, timestamp: 5).isTaken, "the picture has begun")
        #expect(!judge(&filter, vp8(temporal: 2), .vp8, timestamp: 6).isTaken)
        #expect(filter.current.temporal == 1)
    }

    @Test func lateOnesChangeNothing() {
        var filter = LayerFilter()
        filter.limit = LayerPoint(spatial: 0, temporal: 0)
        filter.begin()
        _ = judge(&filter, vp8(temporal: 0, key: true), .vp8, timestamp: 0)
        filter.limit.temporal = 1
        #expect(!judge(&filter, vp8(temporal: 1, sync: true), .vp8, timestamp: 9, isNewest: false).isTaken)
        #expect(filter.current.temporal == 0)
    }

    @Test func whatNamesNoLayersPasses() {
        var filter = LayerFilter()
        filter.limit = LayerPoint(spatial: 0, temporal: 0)
        filter.begin()
        #expect(judge(&filter, [0x10, 0x11, 0, 0], .vp8, timestamp: 0, marker: true).marker)
        let other = judge(&filter, [1, 2, 3], .otherVideo, timestamp: 0)
        #expect(other.isTaken && !other.marker && other.announcedTargets == nil)
    }

    /// I 0, L, B and E; P where the frame refers to earlier pictures.
    private func vp9(spatial: UInt8, key: Bool, ends: Bool = true) -> [UInt8] {
        [(key ? 0 : 0x40) | 0x20 | 0x08 | (ends ? 0x04 : 0), spatial << 1 | (spatial > 0 ? 1 : 0), 0, 1]
    }

    @Test func vp9PicturesEndWithTheHighestLayerThatIsSent() {
        // A key frame of three layers, of which two are wanted.
        var contents = LayerContents()
        let structure: [UInt8] = [0x20 | 0x08 | 0x04 | 0x02, 0, 0, 0x40, 1]
        structure.withUnsafeBytes {
            contents.note(
                SourcePacket(
                    sequence: 0, timestamp: 0, marker: false, extensions: RTPExtensions(), payload: $0, arrival: .zero,
                    codec: .vp9))
        }
        var filter = LayerFilter()
        filter.limit = LayerPoint(spatial: 1, temporal: 7)
        filter.begin()
        func picture(_ timestamp: UInt32, key: Bool) -> [LayerFilter.Verdict] {
            (UInt8(0)..<3).map {
                judge(
                    &filter, vp9(spatial: $0, key: key), .vp9, timestamp: timestamp, contents: contents,
                    marker: $0 == 2)
            }
        }
        _ = picture(0, key: true)
        let key = picture(1, key: true)
        #expect(key.map(\.isTaken) == [true, true, false])
        filter.limit.spatial = 0
        let lower = picture(2, key: false)
        #expect(lower.map(\.isTaken) == [true, false, false] && lower[0].marker)
        filter.limit.spatial = 1
        #expect(picture(3, key: false).map(\.isTaken) == [true, false, false], "it waits for a frame to begin with")
        #expect(picture(4, key: true).map(\.isTaken) == [true, true, false])
    }
}
