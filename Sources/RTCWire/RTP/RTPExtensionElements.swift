/// A walk over the elements of an extension block, in both forms of RFC 8285.
///
/// ```
///  one-byte form (profile 0xBEDE)         two-byte form (profile 0x100x)
///   0 1 2 3 4 5 6 7                        0                   1
///  +-+-+-+-+-+-+-+-+                       0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
///  |  ID   | len-1 | data ...             +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  +-+-+-+-+-+-+-+-+                      |       ID      |     length    | data ...
///                                         +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
/// An identifier of 0 is one byte of padding. In the one-byte form an identifier of 15 ends the walk (section 4.2), and
/// so does an element that would reach behind the block.
package struct RTPExtensionElements {
    private var offset: Int
    private let end: Int
    private let form: Form

    private enum Form { case oneByte, twoByte, none }

    /// Starts at the first element of the block that `header` names.
    package init(_ header: RTPHeader) {
        offset = header.extensionOffset
        end = header.extensionOffset + header.extensionLength
        if header.extensionProfile == RTPExtensions.oneByteProfile {
            form = .oneByte
        } else {
            form = header.extensionProfile & 0xfff0 == RTPExtensions.twoByteProfile ? .twoByte : .none
        }
    }

    /// The next element: its identifier and where its data stands in `bytes`, the packet that the header was read from.
    @inline(__always)
    package mutating func next(in bytes: RawSpan) -> (id: UInt8, data: Range<Int>)? {
        let limit = min(end, bytes.byteCount)
        while form != .none, offset < limit {
            let first = bytes.byte(offset)
            if first == 0 {
                offset += 1
                continue
            }
            return form == .oneByte ? oneByteElement(first, limit) : twoByteElement(first, in: bytes, limit)
        }
        return nil
    }

    @inline(__always)
    private mutating func oneByteElement(_ first: UInt8, _ limit: Int) -> (id: UInt8, data: Range<Int>)? {
        let id = first >> 4
        // An identifier of 0 with a length is padding that isn't: it ends the walk as 15 does.
        guard id != 15, id != 0 else { return finish() }
        return element(id, from: offset + 1, length: Int(first & 0x0f) + 1, limit)
    }

    @inline(__always)
    private mutating func twoByteElement(
        _ id: UInt8, in bytes: RawSpan, _ limit: Int
    ) -> (id: UInt8, data: Range<Int>)? {
        guard offset + 2 <= limit else { return finish() }
        return element(id, from: offset + 2, length: Int(bytes.byte(offset + 1)), limit)
    }

    @inline(__always)
    private mutating func element(
        _ id: UInt8, from start: Int, length: Int, _ limit: Int
    ) -> (id: UInt8, data: Range<Int>)? {
        guard start + length <= limit else { return finish() }
        offset = start + length
        return (id, start..<(start + length))
    }

    private mutating func finish() -> (id: UInt8, data: Range<Int>)? {
        offset = end
        return nil
    }
}
