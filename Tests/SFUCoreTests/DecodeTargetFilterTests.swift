import RTCWire
import Testing

@testable import SFUCore

/// The choice of a decode target, frame by frame, on recorded streams.
@Suite struct DecodeTargetFilterTests {
    fileprivate struct Frame {
        var descriptor: DependencyDescriptor
        var structure: DependencyStructure
        var active: UInt32
    }

    /// The frames of a recorded stream, in order.
    private func frames(_ name: String) throws -> [Frame] {
        var structure: DependencyStructure?
        var active = UInt32.max
        var frames: [Frame] = []
        for packet in try RecordedStream(name, payloadType: 45).packets {
            let bytes = packet.bytes.withUnsafeBytes {
                Array(packet.received.extensions.dependencyDescriptor.data(in: $0))
            }
            let descriptor = try DependencyDescriptor(parsing: bytes.span.bytes, structure: &structure)
            if let targets = descriptor.activeTargets { active = targets }
            guard descriptor.startsFrame, let structure else { continue }
            frames.append(Frame(descriptor: descriptor, structure: structure, active: active))
        }
        return frames
    }

    /// Runs a filter over frames; gives those that were taken.
    private func run(_ frames: [Frame], _ filter: inout DecodeTargetFilter, limit: LayerPoint) -> [Frame] {
        frames.filter { frame in
            _ = filter.beginFrame(frame.descriptor, frame.structure, active: frame.active, limit: limit)
            guard filter.takes(frame.descriptor) else { return false }
            filter.note(frame.descriptor.frameNumber)
            return true
        }
    }

    private func layers(_ frames: [Frame]) -> Set<LayerPoint> {
        Set(
            frames.map {
                LayerPoint(spatial: Int($0.descriptor.spatialID), temporal: Int($0.descriptor.temporalID))
            })
    }

    @Test func everythingPassesBeforeTheFirstFrame() throws {
        let filter = DecodeTargetFilter()
        let frame = try #require(try frames("av1-l1t3").first)
        #expect(filter.takes(frame.descriptor) && !filter.isLimited)
        #expect(filter.layers(frame.structure) == LayerPoint(spatial: 0, temporal: 0))
        #expect(!filter.needsKeyFrame(frame.structure, active: frame.active, limit: .highest))
    }

    @Test(arguments: 0...2) func aLimitFromTheStartIsKept(temporal: Int) throws {
        let frames = try frames("av1-l1t3")
        var filter = DecodeTargetFilter()
        let taken = run(frames, &filter, limit: LayerPoint(spatial: 7, temporal: temporal))
        #expect(layers(taken) == Set((0...temporal).map { LayerPoint(spatial: 0, temporal: $0) }))
        #expect(filter.isLimited == (temporal < 2))
        let last = try #require(frames.last)
        #expect(filter.layers(last.structure).temporal == temporal)
        // The mask tells the targets that can be shown: this one and those below it.
        #expect(filter.mask(last.structure, active: last.active).nonzeroBitCount == temporal + 1)
    }

    /// Layers are taken up only at frames that the structure marks, and all that they refer to has been sent.
    @Test func aRaisedLimitIsTakenUpAtASwitchingPoint() throws {
        let frames = try frames("av1-l1t3")
        var filter = DecodeTargetFilter()
        let half = frames.count / 2
        var sent = Set(run(Array(frames[..<half]), &filter, limit: LayerPoint(spatial: 7, temporal: 0)).map(\.number))
        var changes = 0
        for frame in frames[half...] {
            if filter.beginFrame(frame.descriptor, frame.structure, active: frame.active, limit: .highest) {
                changes += 1
                let point = filter.layers(frame.structure)
                let target = frame.structure.targetLayers.firstIndex {
                    Int($0.temporal) == point.temporal && Int($0.spatial) == point.spatial
                }
                #expect(frame.descriptor.indication(try #require(target)) == .switchPoint)
            }
            guard filter.takes(frame.descriptor) else { continue }
            let references = (0..<frame.descriptor.referenceCount).map {
                frame.number &- frame.descriptor.references[$0]
            }
            #expect(references.allSatisfy(sent.contains), "nothing is missing for it")
            filter.note(frame.number)
            sent.insert(frame.number)
        }
        #expect(changes >= 1 && !filter.isLimited)
    }

    /// What is no longer wanted goes at once, where the lower target has had all that it refers to.
    @Test func aLoweredLimitIsKeptSoon() throws {
        let frames = try frames("av1-l1t3")
        var filter = DecodeTargetFilter()
        let half = frames.count / 2
        _ = run(Array(frames[..<half]), &filter, limit: .highest)
        let later = run(Array(frames[half...]), &filter, limit: LayerPoint(spatial: 7, temporal: 0))
        let above = later.filter { $0.descriptor.temporalID > 0 }
        #expect(above.count <= 4 && filter.isLimited)
    }

    @Test func targetsThatAreNotSentAreNotChosen() throws {
        let frames = try frames("av1-l1t3").map { Frame(descriptor: $0.descriptor, structure: $0.structure, active: 1) }
        var filter = DecodeTargetFilter()
        _ = run(frames, &filter, limit: .highest)
        let structure = try #require(frames.last?.structure)
        #expect(filter.mask(structure, active: 1) == 1 && !filter.isLimited)
    }
}

extension DecodeTargetFilterTests.Frame {
    fileprivate var number: UInt16 { descriptor.frameNumber }
}
