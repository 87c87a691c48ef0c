import CZlib
import Glibc
import MediaCore

/// A ZIP file (APPNOTE 6.3.10) of files that stand in it as they are: recordings are compressed already. Sizes are in the fields
/// of ZIP64, for an archive of four hours may have more than 4 GiB. Has one owner.
struct ZipWriter: ~Copyable {
    private struct Entry {
        var name: [UInt8]
        var checksum: UInt32
        var size: UInt64
        var offset: UInt64
    }

    /// What no field of 32 bits holds; ZIP64's fields do.
    private static let wide = UInt64(UInt32.max)
    private static let pieceSize = 1 << 18

    private let path: String
    private var descriptor: Int32
    private var entries: [Entry] = []
    /// Bytes written.
    private(set) var size: UInt64 = 0

    /// Creates a file that only its owner can read and write.
    init(path: String) throws(MediaError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.fault(path) }
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    // MARK: Entries

    /// Adds a file of the disk.
    mutating func add(_ name: String, file: String) throws(MediaError) {
        let source = open(file, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else {
            throw MediaError(.unreadable, file, "can't be read: \(systemMessage(errno))", remedy: "check the disk")
        }
        defer { Glibc.close(source) }
        let begin = size
        // Checksum and size stand before the content: they are written again when they are known.
        try write(Self.header(of: Entry(name: Array(name.utf8), checksum: 0, size: 0, offset: begin)))
        var entry = Entry(name: Array(name.utf8), checksum: 0, size: 0, offset: begin)
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = read(source, &piece, piece.count)
            guard count >= 0 else {
                throw MediaError(.unreadable, file, "can't be read: \(systemMessage(errno))", remedy: "check the disk")
            }
            guard count > 0 else { break }
            entry.checksum = UInt32(truncatingIfNeeded: crc32(UInt(entry.checksum), piece, UInt32(count)))
            entry.size += UInt64(count)
            try write(piece[..<count])
        }
        try finish(entry)
    }

    /// Adds a file of these bytes.
    mutating func add(_ name: String, bytes: [UInt8]) throws(MediaError) {
        let checksum = UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(bytes.count)))
        let entry = Entry(name: Array(name.utf8), checksum: checksum, size: UInt64(bytes.count), offset: size)
        try write(Self.header(of: entry))
        try write(bytes[...])
        entries.append(entry)
    }

    private mutating func finish(_ entry: Entry) throws(MediaError) {
        let header = Self.header(of: entry)
        let written = header.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(entry.offset)) }
        guard written == header.count else { throw Self.fault(path) }
        entries.append(entry)
    }

    /// Writes the directory and closes the file; gives its size in bytes.
    mutating func close() throws(MediaError) -> Int {
        let begin = size
        for entry in entries { try write(Self.directoryEntry(of: entry)) }
        try write(Self.end(count: entries.count, size: size - begin, offset: begin))
        let result = Glibc.close(descriptor)
        descriptor = -1
        guard result == 0 else { throw Self.fault(path) }
        return Int(size)
    }

    private mutating func write(_ bytes: [UInt8]) throws(MediaError) { try write(bytes[...]) }

    private mutating func write(_ bytes: ArraySlice<UInt8>) throws(MediaError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.fault(path) }
            rest = rest.dropFirst(count)
            size += UInt64(count)
        }
    }

    private static func fault(_ path: String) -> MediaError {
        MediaError(.unwritable, path, "can't be written: \(systemMessage(errno))", remedy: "check the disk")
    }

    // MARK: Records

    /// Section 4.3.7. It always has room for ZIP64's sizes, so that it stays as long when they are known.
    private static func header(of entry: Entry) -> [UInt8] {
        var record = Record()
        record.add(UInt32(0x0403_4b50), UInt16(45), utf8Names, UInt16(0), midnight, newYear, entry.checksum)
        record.add(UInt32.max, UInt32.max, UInt16(entry.name.count), UInt16(20))
        record.bytes += entry.name
        record.add(UInt16(1), UInt16(16), entry.size, entry.size)
        return record.bytes
    }

    /// Section 4.3.12.
    private static func directoryEntry(of entry: Entry) -> [UInt8] {
        var record = Record()
        record.add(UInt32(0x0201_4b50), UInt16(45), UInt16(45), utf8Names, UInt16(0), midnight, newYear, entry.checksum)
        record.add(UInt32.max, UInt32.max, UInt16(entry.name.count), UInt16(28))
        record.add(UInt16(0), UInt16(0), UInt16(0), UInt32(0), UInt32.max)
        record.bytes += entry.name
        record.add(UInt16(1), UInt16(24), entry.size, entry.size, entry.offset)
        return record.bytes
    }

    /// Sections 4.3.14 to 4.3.16.
    private static func end(count: Int, size: UInt64, offset: UInt64) -> [UInt8] {
        var record = Record()
        record.add(UInt32(0x0606_4b50), UInt64(44), UInt16(45), UInt16(45), UInt32(0), UInt32(0))
        record.add(UInt64(count), UInt64(count), size, offset)
        record.add(UInt32(0x0706_4b50), UInt32(0), offset + size, UInt32(1))
        let short = UInt16(clamping: count)
        record.add(UInt32(0x0605_4b50), UInt16(0), UInt16(0), short, short)
        record.add(UInt32(min(size, wide)), UInt32(min(offset, wide)), UInt16(0))
        return record.bytes
    }

    private static let utf8Names = UInt16(1 << 11)
    /// Times are in the manifest: 1 January 1980.
    private static let midnight = UInt16(0), newYear = UInt16(1 << 5 | 1)
}

/// Little-endian fields one after another.
private struct Record {
    var bytes: [UInt8] = []

    mutating func add<each Value: FixedWidthInteger>(_ values: repeat each Value) {
        for value in repeat each values { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
    }
}
