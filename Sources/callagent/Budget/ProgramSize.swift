import Foundation

/// How large this program and its memory are, as the system has it.
enum ProgramSize {
    private static let loaded: UInt32 = 1
    private static let headerBytes = 4_096

    /// Bytes of the file that are loaded, by its program headers (ELF-64, little-endian); nil for what is no such file, or has
    /// more of them than stand in `header`.
    static func loadedBytes(_ header: [UInt8]) -> Int? {
        guard header.count >= 64, header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else { return nil }
        func number(_ place: Int, _ count: Int) -> UInt64? {
            guard place >= 0, place <= header.count - count else { return nil }
            return (0..<count).reduce(0) { $0 | UInt64(header[place + $1]) << UInt64(8 * $1) }
        }
        guard let table = number(32, 8), let entry = number(54, 2), let entries = number(56, 2), entry >= 56,
            table <= UInt64(header.count), UInt64(header.count) - table >= entry * entries
        else { return nil }
        var sum = 0
        for index in 0..<Int(entries) {
            let place = Int(table) + index * Int(entry)
            guard let kind = number(place, 4), let size = number(place + 32, 8), size <= UInt64(UInt32.max) else {
                return nil
            }
            if kind == UInt64(loaded) { sum += Int(size) }
        }
        return sum > 0 ? sum : nil
    }

    /// The same of this program.
    static func loadedBytes() -> Int? {
        guard let file = FileHandle(forReadingAtPath: "/proc/self/exe"),
            let header = try? file.read(upToCount: headerBytes)
        else { return nil }
        return loadedBytes(Array(header))
    }

    /// Bytes of memory that the process has for itself: not what it shares with files. Nil where the text has no such line.
    ///
    /// - Parameter status: `/proc/self/status`, proc(5).
    static func ownMemory(_ status: String) -> Int? {
        for line in status.split(separator: "\n") where line.hasPrefix("RssAnon:") {
            return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
                .map { $0 * 1_024 }
        }
        return nil
    }

    /// The same of this process.
    static func ownMemory() -> Int? { ownMemory(ProcessFiles.text("/proc/self/status")) }
}
