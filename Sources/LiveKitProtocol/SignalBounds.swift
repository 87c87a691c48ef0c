/// How long a signalling request may be, by its kind, told from its outermost fields before anything of it is decoded.
///
/// A message of 2 MiB that is one description is a few lines of text; one that is a list of empty names is a million of
/// them. What a kind of message can need bounds its bytes, and so every string, list and map in it.
package enum SignalBounds {
    /// Why a message is not read.
    package enum Fault: Error, Hashable, CustomStringConvertible {
        /// A message of that many bytes, where its kind has so many.
        case tooLong(bytes: Int, limit: Int)
        /// Two requests in one message, of which only one could count.
        case severalRequests
        /// No protobuf.
        case malformed

        /// The message is too long, and may else be right.
        package var isLength: Bool { if case .tooLong = self { true } else { false } }

        package var description: String {
            switch self {
            case .tooLong(let bytes, let limit): "a message of \(bytes) bytes, where its kind has at most \(limit)"
            case .severalRequests: "a message with several requests"
            case .malformed: "a message that is no protobuf"
            }
        }
    }

    /// Bytes of a message in a text frame, whatever its kind: JSON is read slowly.
    package static let text = 256 * 1024

    /// Bytes of a binary message whose oneof has this field number (`SignalRequest` in livekit_rtc.proto).
    static func limit(field: Int, metadata: Int) -> Int {
        switch field {
        // Session descriptions, of which 256 KiB are read, with what names their tracks.
        case 1, 2: 384 * 1024
        // The client's own descriptions, tracks and subscriptions, after a loss.
        case 12: 1 << 20
        // Lists of tracks.
        case 6, 7, 11: 128 * 1024
        // Name, metadata and attributes.
        case 15: metadata
        default: 64 * 1024
        }
    }

    /// Throws where a binary message is too long for what it is.
    ///
    /// - Parameter metadata: bytes that name, metadata and attributes of a participant may have together.
    package static func check(_ bytes: [UInt8], metadata: Int) throws(Fault) {
        var position = 0
        var request: Int?
        var fields = 0
        while position < bytes.count {
            guard let tag = varint(bytes, &position) else { throw .malformed }
            let field = Int(truncatingIfNeeded: tag >> 3)
            fields += 1
            // Parts of one oneof are merged: each of thousands would cost as much as all before it.
            guard fields <= mostFields, request == nil || field > newest else { throw .severalRequests }
            if field <= newest { request = field }
            guard skip(Int(tag & 7), bytes, &position) else { throw .malformed }
        }
        let limit = limit(field: request ?? 0, metadata: metadata)
        guard bytes.count <= limit else { throw .tooLong(bytes: bytes.count, limit: limit) }
    }

    /// The highest field number of the oneof; newer clients may have others beside it.
    private static let newest = 23
    /// Fields of a whole message, with those of newer clients.
    private static let mostFields = 8

    private static func skip(_ wireType: Int, _ bytes: [UInt8], _ position: inout Int) -> Bool {
        switch wireType {
        case 0: return varint(bytes, &position) != nil
        case 1: position += 8
        case 5: position += 4
        case 2:
            guard let length = varint(bytes, &position), length <= UInt64(bytes.count - position) else { return false }
            position += Int(length)
        default: return false
        }
        return position <= bytes.count
    }

    /// Base 128, the least significant group first, 10 bytes at the most.
    private static func varint(_ bytes: [UInt8], _ position: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for group in 0..<10 {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7f) << UInt64(7 * group)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
