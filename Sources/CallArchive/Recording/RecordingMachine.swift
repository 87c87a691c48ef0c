import MediaCore
import RTCWire

/// One participant's recording as a value: frames as they come in, frames of a file in order and in step out.
package struct RecordingMachine: Sendable {
    /// What is to be done, in this order.
    package enum Action: Sendable {
        /// A file with these tracks begins.
        case begin([MatroskaWriter.Track])
        case write(MatroskaWriter.Frame)
    }

    /// How long a frame waits for those that belong before it: retransmissions and copies take that long.
    package static let hold = Interval.milliseconds(300)
    /// How long the first file waits for pictures: their codec stands in its head.
    private static let pictureWait = Interval.milliseconds(700)
    static let soundTrack = 0, pictureTrack = 1
    /// Without a key frame so long, another one is asked for.
    private static let keyFramePatience = Interval.seconds(1)

    /// Our clock's time of the first file's beginning.
    package private(set) var origin: Int64?
    /// Pictures that came before the first key frame, or found no room.
    package private(set) var dropped = 0

    private let kinds: Set<MediaKind>
    private(set) var timeline = RecordingTimeline()
    private var queue = FrameQueue()
    /// The codec of the pictures of the present file; nil before it.
    private var pictures: MediaCodec?
    /// Time of the present file's beginning.
    private var fileOrigin: Int64 = 0
    private var needsKeyFrame = true
    private var lastRequest: Instant?
    private var last: Int64 = .min

    /// - Parameter kinds: what is recorded; all else is left out.
    package init(kinds: Set<MediaKind> = Set(MediaKind.allCases)) { self.kinds = kinds }

    /// Takes in a frame; true where a key frame is to be asked for.
    ///
    /// - Parameter stream: see `RecordingTimeline`.
    package mutating func take(_ frame: ReceivedFrame, stream: Int) -> Bool {
        guard kinds.contains(frame.codec.kind), !frame.isFiller else { return false }
        let time = timeline.time(of: frame, stream: stream)
        guard frame.codec.kind == .video else {
            _ = queue.insert(.init(frame: frame, stream: stream, time: time))
            return false
        }
        if frame.isKeyFrame { needsKeyFrame = false }
        guard !needsKeyFrame, queue.insert(.init(frame: frame, stream: stream, time: time)) else {
            needsKeyFrame = true
            dropped += 1
            return isRequestDue(frame.arrival)
        }
        return false
    }

    /// A stream has ended; the next one of pictures begins with a key frame.
    package mutating func end(stream: Int, kind: MediaKind) {
        timeline.end(stream)
        if kind == .video { needsKeyFrame = true }
    }

    /// Lets out what is due.
    package mutating func advance(to now: Instant, into actions: inout [Action]) {
        let due = (now - Self.hold).nanoseconds
        if origin == nil, kinds.contains(.video), queue.firstPicture == nil, let first = queue.nextTime,
            due < first + Self.pictureWait.nanoseconds
        {
            return
        }
        while let item = queue.next(before: due) { write(item, into: &actions) }
    }

    /// Lets out all that is left.
    package mutating func finish(into actions: inout [Action]) {
        while let item = queue.next(before: .max) { write(item, into: &actions) }
    }

    private mutating func isRequestDue(_ now: Instant) -> Bool {
        if let lastRequest, now - lastRequest < Self.keyFramePatience { return false }
        lastRequest = now
        return true
    }

    // MARK: Out

    private mutating func write(_ item: FrameQueue.Item, into actions: inout [Action]) {
        let codec = item.frame.codec
        if origin == nil {
            begin(at: item.time, pictures: codec.kind == .video ? item.frame : queue.firstPicture, into: &actions)
        } else if codec.kind == .video, codec != pictures {
            guard item.frame.isKeyFrame else { return dropped += 1 }
            begin(at: item.time, pictures: item.frame, into: &actions)
        }
        // Two pictures share no time; all else may.
        last = max(last + (codec.kind == .video ? 1 : 0), (item.time - fileOrigin) / 1_000_000, 0)
        let size = item.frame.size ?? (0, 0)
        actions.append(
            .write(
                .init(
                    track: codec.kind == .video ? Self.pictureTrack : Self.soundTrack, payload: item.frame.payload,
                    milliseconds: last, isKeyFrame: item.frame.isKeyFrame, width: size.width, height: size.height)))
    }

    /// A file holds one codec of pictures, VP8 where none has come yet.
    private mutating func begin(at time: Int64, pictures frame: ReceivedFrame?, into actions: inout [Action]) {
        origin = origin ?? time
        fileOrigin = time
        last = .min
        let codec = frame?.codec ?? .vp8
        pictures = codec
        actions.append(.begin([.init(.opus), .init(codec, setup: frame?.setup ?? [])]))
    }
}

extension ReceivedFrame {
    /// Width and height, where the frame says them.
    var size: (width: Int, height: Int)? {
        if codec == .vp9, isKeyFrame { return vp9Size }
        guard codec == .vp8, isKeyFrame,
            let header = payload.withUnsafeBytes({ try? VP8FrameHeader(parsing: $0.bytes) })
        else { return nil }
        return (header.width, header.height)
    }

    /// A server's black picture of 8x8, which it ends or mutes a track with.
    var isFiller: Bool { size.map { $0.width == 8 && $0.height == 8 } ?? false }

    /// Of a key frame of profile 0 (VP9 bitstream specification, section 6.2): behind the sync code four bits of colour, then
    /// 16 bits each, one less than the size.
    private var vp9Size: (width: Int, height: Int)? {
        guard payload.count >= 9, payload[0] >> 4 == 0b1000, payload[1...3].elementsEqual([0x49, 0x83, 0x42]) else {
            return nil
        }
        let bits = payload[4...8].reduce(0) { $0 << 8 | Int($1) }
        return ((bits >> 20 & 0xffff) + 1, (bits >> 4 & 0xffff) + 1)
    }

    /// What decoders need before the first frame: H.264's parameter sets and AV1's sequence header are in the frame.
    var setup: [UInt8] {
        switch codec {
        case .h264: payload
        case .av1: sequenceHeader
        case .opus, .vp8, .vp9: []
        }
    }

    /// The first OBU of type 1; each one says its size.
    private var sequenceHeader: [UInt8] {
        var offset = 0
        while offset + 1 < payload.count {
            let (start, type) = (offset, payload[offset] >> 3 & 0x0f)
            offset += payload[offset] & 4 != 0 ? 2 : 1
            var (length, shift) = (0, 0)
            while offset < payload.count, shift < 28 {
                let byte = payload[offset]
                length |= Int(byte & 0x7f) << shift
                offset += 1
                shift += 7
                if byte & 0x80 == 0 { break }
            }
            guard length <= payload.count - offset else { return [] }
            offset += length
            if type == 1 { return Array(payload[start..<offset]) }
        }
        return []
    }
}
