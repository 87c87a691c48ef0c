import RTCCore
import RTCWire

/// A picture on its way into RTP packets: of VP8 (RFC 7741), VP9 (RFC 9628) or H.264 (RFC 6184).
struct PictureSending {
    private let picture: EncodedPicture
    private let codec: VideoCodec
    /// 15 bits.
    private let pictureID: UInt16
    private let ssrc: UInt32
    private let now: Instant

    /// Bytes of the longest payload.
    private static let largest = 2048

    init(_ picture: EncodedPicture, codec: VideoCodec, pictureID: UInt16, ssrc: UInt32, now: Instant) {
        self.picture = picture
        self.codec = codec
        self.pictureID = pictureID
        self.ssrc = ssrc
        self.now = now
    }

    /// False where nothing was sent.
    func send(by peer: inout Peer, into outbox: Outbox) -> Bool {
        let room = min(Self.largest, peer.maximumPayload(ssrc: ssrc))
        return withUnsafeTemporaryAllocation(byteCount: Self.largest, alignment: 16) { scratch in
            picture.payload.withUnsafeBytes { bytes in
                switch codec {
                case .vp8: sendVP8(bytes, room, scratch, &peer, outbox)
                case .vp9: sendVP9(bytes, room, scratch, &peer, outbox)
                case .h264: sendH264(bytes, room, scratch, &peer, outbox)
                }
            }
        }
    }

    private func sendVP8(
        _ bytes: UnsafeRawBufferPointer, _ room: Int, _ scratch: UnsafeMutableRawBufferPointer, _ peer: inout Peer,
        _ outbox: Outbox
    ) -> Bool {
        var descriptor = VP8PayloadDescriptor()
        descriptor.pictureID = pictureID
        var isSent = false
        let fragments = VP8Packetizer(
            frameLength: bytes.count, maximumPayload: room, descriptorLength: descriptor.encodedLength)
        for fragment in fragments {
            descriptor.startsPartition = fragment.isFirst
            let head = descriptor.write(into: scratch)
            let count = append(bytes, fragment.range, to: scratch, behind: head)
            isSent = sendPacket(scratch, count, isLast: fragment.isLast, &peer, outbox)
        }
        return isSent
    }

    private func sendVP9(
        _ bytes: UnsafeRawBufferPointer, _ room: Int, _ scratch: UnsafeMutableRawBufferPointer, _ peer: inout Peer,
        _ outbox: Outbox
    ) -> Bool {
        let descriptor = VP9SentPicture(
            pictureID: pictureID, isKeyFrame: picture.isKeyFrame, width: picture.width, height: picture.height)
        var isSent = false
        // Fragments of equal size, as VP8's are.
        let fragments = VP8Packetizer(
            frameLength: bytes.count, maximumPayload: room, descriptorLength: descriptor.longestDescriptor)
        for fragment in fragments {
            let head = descriptor.write(isFirst: fragment.isFirst, isLast: fragment.isLast, into: scratch)
            let count = append(bytes, fragment.range, to: scratch, behind: head)
            isSent = sendPacket(scratch, count, isLast: fragment.isLast, &peer, outbox)
        }
        return isSent
    }

    private func sendH264(
        _ bytes: UnsafeRawBufferPointer, _ room: Int, _ scratch: UnsafeMutableRawBufferPointer, _ peer: inout Peer,
        _ outbox: Outbox
    ) -> Bool {
        var packets = H264Packetizer(bytes, maximumPayload: room)
        var isSent = false
        while let packet = packets.next(into: scratch) {
            isSent = sendPacket(scratch, packet.count, isLast: packet.isLast, &peer, outbox)
        }
        return isSent
    }

    /// Gives the length of the payload.
    private func append(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, to scratch: UnsafeMutableRawBufferPointer,
        behind head: Int
    ) -> Int {
        UnsafeMutableRawBufferPointer(rebasing: scratch[head...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
        return head + range.count
    }

    private func sendPacket(
        _ scratch: UnsafeMutableRawBufferPointer, _ count: Int, isLast: Bool, _ peer: inout Peer, _ outbox: Outbox
    ) -> Bool {
        peer.send(
            ssrc: ssrc, marker: isLast, timestamp: picture.timestamp, captured: picture.captured,
            payload: UnsafeRawBufferPointer(rebasing: scratch[..<count]), now: now, into: outbox) != nil
    }
}
