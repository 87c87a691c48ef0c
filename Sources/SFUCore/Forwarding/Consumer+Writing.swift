import RTCCore
import RTCWire

/// How one consumer takes a packet.
struct TakenPacket {
    /// Nil for a packet that is sent on empty, so that no hole is seen.
    var payload: UnsafeRawBufferPointer?
    /// Where the outbox holds the packet's extensions.
    var shared: Int32
    var numbering: Numbering
    var verdict: LayerFilter.Verdict
    /// The numbers go on from it.
    var isNewest: Bool
}

/// What a consumer's packets are made of.
extension Consumer {
    /// The row that a copy is numbered in.
    enum Row {
        case media(Int64)
        /// On the retransmission stream, with the number that the packet had.
        case repetition(UInt16, ssrc: UInt32, payloadType: UInt8)
    }

    /// Writes what the copy of a packet has of its own: the payload's descriptor and that of its dependencies.
    mutating func write(
        _ packet: borrowing SourcePacket, _ taken: TakenPacket, of layer: Int, _ producer: borrowing Producer,
        _ row: Row,
        _ outbox: inout ForwardingOutbox
    ) -> ForwardedCopy {
        let copies = wishes.copies.count > 0 ? self.copies(before: packet, taken) : 0
        let room = copies > 0 ? outbox.reserve(RecentSound.room) : outbox.reserve()
        var length = 0
        if case .repetition(let original, _, _) = row {
            length = RTX.write(originalSequenceNumber: original, into: room)
        } else if copies > 0 {
            length = producer.recent.write(
                before: packet, most: copies, payloadType: configuration.payloadType, into: room)
        }
        let format = copies > 0 && length > 0 ? PacketFormat.redundant : packet.format
        let (written, payload) = writeBeginning(
            packet, taken, producer.codec, into: UnsafeMutableRawBufferPointer(rebasing: room[length...]))
        length += written
        let targets = producer.layers[layer].pointee.contents.structure?.decodeTargets ?? 0
        let descriptor = writeDependency(
            packet, taken, decodeTargets: targets, into: UnsafeMutableRawBufferPointer(rebasing: room[length...]))
        let prefix = outbox.commit(length)
        var extensions = extensions(of: packet, shared: taken.shared)
        extensions.dependencyDescriptor = outbox.commit(descriptor)
        let timestamp = packet.timestamp &+ taken.numbering.timestampOffset
        switch row {
        case .media(let sequence):
            return copy(
                .media, configuration.ssrc, payloadType(format), UInt16(truncatingIfNeeded: sequence), timestamp,
                taken.verdict.marker, extensions, prefix, payload)
        case .repetition(_, let ssrc, let payloadType):
            return copy(
                .repetition, ssrc, payloadType, repetitions.nextSequence, timestamp, taken.verdict.marker, extensions,
                prefix, payload)
        }
    }

    func copy(
        _ kind: ForwardedCopy.Kind, _ ssrc: UInt32, _ payloadType: UInt8, _ sequence: UInt16, _ timestamp: UInt32,
        _ marker: Bool, _ extensions: ForwardedCopy.Extensions, _ prefix: ForwardedCopy.ArenaRange,
        _ payload: UnsafeRawBufferPointer
    ) -> ForwardedCopy {
        ForwardedCopy(
            consumer: id, connection: connection, ssrc: ssrc, timestamp: timestamp, sequenceNumber: sequence,
            payloadType: payloadType, marker: marker, kind: kind, extensions: extensions, prefix: prefix,
            payload: payload)
    }

    /// Copies of earlier frames that a packet carries at most: of sound alone, in the clear, to those who know them.
    private func copies(before packet: borrowing SourcePacket, _ taken: TakenPacket) -> Int {
        guard configuration.redundancyPayloadType != nil, !configuration.isEncrypted, packet.format == .primary,
            taken.payload?.isEmpty == false
        else { return 0 }
        return wishes.copies.count
    }

    /// The rewritten beginning of the payload, and the rest.
    private mutating func writeBeginning(
        _ packet: borrowing SourcePacket, _ taken: TakenPacket, _ codec: MediaCodec,
        into room: UnsafeMutableRawBufferPointer
    ) -> (length: Int, rest: UnsafeRawBufferPointer) {
        guard let payload = taken.payload, !payload.isEmpty else { return (0, RTPOpaqueElements.none) }
        var length = pictures.write(packet.head, taken.numbering, isNewest: taken.isNewest, into: room)
        var replaced = min(length, payload.count)
        if codec == .av1, !configuration.hasDependencyDescriptor, let frame = packet.dependency,
            let seam = AV1Seam(of: frame, endsPicture: taken.verdict.marker)
        {
            (length, replaced) = seam.write(payload, into: room)
        }
        return (length, UnsafeRawBufferPointer(rebasing: payload[replaced...]))
    }

    /// The dependency descriptor, where it must be rewritten; gives its length.
    private mutating func writeDependency(
        _ packet: borrowing SourcePacket, _ taken: TakenPacket, decodeTargets: Int,
        into room: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard !packet.opaque.dependencyDescriptor.isEmpty else { return 0 }
        return pictures.writeDependency(
            packet, taken.numbering, targets: taken.verdict.announcedTargets, decodeTargets: decodeTargets,
            isNewest: taken.isNewest, into: room)
    }

    /// The extensions that go with a packet: the room's bounds on playout on the first packets, until they must have come.
    private func extensions(of packet: borrowing SourcePacket, shared: Int32) -> ForwardedCopy.Extensions {
        var extensions = ForwardedCopy.Extensions(shared: shared)
        guard let delay = configuration.playoutDelay else { return extensions }
        extensions.replacesPlayoutDelay = true
        let isNeeded = packet.startsKeyFrame ? true : sent.packets < Consumer.playoutDelayPackets
        if isNeeded { extensions.playoutDelay = delay }
        return extensions
    }

    private func payloadType(_ format: PacketFormat) -> UInt8 {
        switch format {
        case .primary: configuration.payloadType
        case .redundant: configuration.redundancyPayloadType ?? configuration.payloadType
        case .event: configuration.eventPayloadType ?? configuration.payloadType
        }
    }

    private static let playoutDelayPackets = 100
}
