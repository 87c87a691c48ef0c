import Foundation

/// A reader of WebM files that shares nothing with the one that writes them: EBML, RFC 8794; Matroska, RFC 9559.
struct WebMFile {
    struct Track: Equatable {
        var number: Int
        var codec: String
        var width = 0, height = 0
    }

    struct Block: Equatable {
        var track: Int
        var milliseconds: Int64
        var isKeyFrame: Bool
        var payload: [UInt8]
    }

    private(set) var docType = ""
    /// As the head says, milliseconds.
    private(set) var duration: Double?
    private(set) var tracks: [Track] = []
    private(set) var blocks: [Block] = []
    private var cluster: Int64 = 0

    init(path: String) throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        read(bytes[...])
    }

    /// Times of one track's blocks.
    func times(_ codec: String) -> [Int64] { payloads(codec).map(\.milliseconds) }

    func payloads(_ codec: String) -> [Block] {
        let number = tracks.first { $0.codec == codec }?.number
        return blocks.filter { $0.track == number }
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let id = Self.number(&rest, keepsMarker: true), let size = Self.number(&rest, keepsMarker: false) {
            // A cut file ends within its last element.
            let data = rest.prefix(Int(min(size, UInt64(rest.count))))
            take(UInt32(truncatingIfNeeded: id), data)
            rest = rest.dropFirst(data.count)
        }
    }

    private mutating func take(_ id: UInt32, _ data: ArraySlice<UInt8>) {
        switch id {
        case 0x1a45_dfa3, 0x1853_8067, 0x1549_a966, 0x1654_ae6b, 0x1f43_b675, 0xe0, 0xa0: read(data)
        case 0x4282: docType = String(decoding: data, as: UTF8.self)
        case 0x4489: duration = Double(bitPattern: Self.value(data))
        case 0xae:
            tracks.append(Track(number: 0, codec: ""))
            read(data)
        case 0xd7: tracks[tracks.count - 1].number = Int(Self.value(data))
        case 0x86: tracks[tracks.count - 1].codec = String(decoding: data, as: UTF8.self)
        case 0xb0: tracks[tracks.count - 1].width = Int(Self.value(data))
        case 0xba: tracks[tracks.count - 1].height = Int(Self.value(data))
        case 0xe7: cluster = Int64(Self.value(data))
        case 0xa3, 0xa1: block(data, isSimple: id == 0xa3)
        default: break
        }
    }

    private mutating func block(_ data: ArraySlice<UInt8>, isSimple: Bool) {
        var rest = data
        guard let track = Self.number(&rest, keepsMarker: false), rest.count > 3 else { return }
        let offset = Int16(truncatingIfNeeded: Self.value(rest.prefix(2)))
        let flags = rest[rest.startIndex + 2]
        blocks.append(
            Block(
                track: Int(track), milliseconds: cluster + Int64(offset), isKeyFrame: !isSimple || flags & 0x80 != 0,
                payload: Array(rest.dropFirst(3))))
    }

    private static func value(_ data: ArraySlice<UInt8>) -> UInt64 { data.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func number(_ rest: inout ArraySlice<UInt8>, keepsMarker: Bool) -> UInt64? {
        guard let first = rest.first, first != 0 else { return nil }
        let length = first.leadingZeroBitCount + 1
        guard rest.count >= length else { return nil }
        let bytes = rest.prefix(length)
        rest = rest.dropFirst(length)
        let value = value(bytes)
        let mask = (UInt64(1) << UInt64(7 * length)) - 1
        return keepsMarker ? value : value & mask == mask ? .max : value & mask
    }
}

/// A folder that is gone with the test.
final class Scratch {
    let path: String

    init() throws {
        path = "\(NSTemporaryDirectory())/archive-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}
