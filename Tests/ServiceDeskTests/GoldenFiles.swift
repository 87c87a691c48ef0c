import Foundation
import Testing

/// Payloads as files: Tests/Vectors/service-desk.
enum GoldenFiles {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors/service-desk")

    /// The bytes of a file, without the newline at its end.
    static func bytes(_ name: String) throws -> [UInt8] {
        var bytes = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
        if bytes.last == 0x0a { bytes.removeLast() }
        return try #require(bytes.isEmpty ? nil : bytes)
    }
}
