/// What a frame of a load test says of itself, at its end: bytes that no decoder looks at. A server that forwards passes them
/// on, so that a receiver knows which frames there were, without decoding any.
///
/// ```
///  0        4      8           12      13   14     16       20                28
///  +--------+------+-----------+-------+----+------+--------+-----------------+
///  | "LOAD" | run  | publisher | layer | 0  | clip | number | time, ns        |   little-endian
///  +--------+------+-----------+-------+----+------+--------+-----------------+
/// ```
///
/// VP8: a decoder reads the last partition as far as it needs (RFC 6386 section 9.5); VP9: nothing behind the frame is
/// decoded. Opus: padding (RFC 6716 section 3.2.5). H.264: a unit of its own in front of the others (`StampUnit`).
package struct MediaStamp: Sendable, Equatable {
    package static let length = 28
    private static let magic: UInt32 = 0x4441_4f4c

    /// The process that sends it: its clock is not another one's.
    package var run: UInt32
    /// In the plan of that process.
    package var publisher: UInt32
    /// The stream of a simulcast, 0 for the largest.
    package var layer: UInt8
    /// Which frame of the clip it is.
    package var clip: UInt16
    /// Frames of this stream that were sent before it.
    package var number: UInt32
    /// When it was sent, on the sender's monotonic clock.
    package var nanoseconds: Int64

    package init(run: UInt32, publisher: UInt32, layer: UInt8, clip: UInt16, number: UInt32, nanoseconds: Int64) {
        self.run = run
        self.publisher = publisher
        self.layer = layer
        self.clip = clip
        self.number = number
        self.nanoseconds = nanoseconds
    }

    /// Reads the stamp of a frame, behind it or in a unit in front; nil where there is none.
    package init?(of frame: UnsafeRawBufferPointer) {
        if let stamp = MediaStamp(endOf: frame) ?? StampUnit.read(frame) { self = stamp } else { return nil }
    }

    /// Reads the end of a frame; nil where there is no stamp.
    package init?(endOf frame: UnsafeRawBufferPointer) {
        guard frame.count >= Self.length else { return nil }
        let start = frame.count - Self.length
        func word<T: FixedWidthInteger>(_ offset: Int, _: T.Type) -> T {
            T(littleEndian: frame.loadUnaligned(fromByteOffset: start + offset, as: T.self))
        }
        guard word(0, UInt32.self) == Self.magic else { return nil }
        run = word(4, UInt32.self)
        publisher = word(8, UInt32.self)
        layer = word(12, UInt8.self)
        clip = word(14, UInt16.self)
        number = word(16, UInt32.self)
        nanoseconds = word(20, Int64.self)
    }

    /// Its bytes.
    package func append(to frame: inout [UInt8]) {
        func put(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { frame.append(contentsOf: $0) }
        }
        put(Self.magic)
        put(run)
        put(publisher)
        put(layer)
        put(UInt8(0))
        put(clip)
        put(number)
        put(nanoseconds)
    }

    /// A frame that says so.
    ///
    /// - Parameter isUnits: it consists of NAL units behind start codes (H.264 annex B).
    package func stamped(picture: [UInt8], isUnits: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(picture.count + (isUnits ? StampUnit.length : Self.length))
        if isUnits { StampUnit.append(self, to: &result) }
        result.append(contentsOf: picture)
        if !isUnits { append(to: &result) }
        return result
    }

    /// Whether an Opus packet has room for one: it holds one frame (code 0), as those of encoders of 20 ms do.
    package static func fits(sound packet: [UInt8]) -> Bool { packet.first.map { $0 & 3 == 0 } ?? false }

    /// An Opus packet that says so; nil where it is none of one frame (code 0), as encoders of 20 ms make them.
    package func stamped(sound packet: [UInt8]) -> [UInt8]? {
        guard Self.fits(sound: packet), let first = packet.first else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(packet.count + 2 + Self.length)
        // Code 3, one frame, with padding of that length.
        result.append(first | 3)
        result.append(0x41)
        result.append(UInt8(Self.length))
        result.append(contentsOf: packet.dropFirst())
        append(to: &result)
        return result
    }
}
