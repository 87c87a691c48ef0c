import Foundation
import ServiceDeskCore

/// Takes a file of the disk.
public struct FileAttachmentChooser: AttachmentChooser {
    /// The entry of the menu.
    public let label: String
    private let path: String

    /// - Parameter path: of a plain file of at most 16 MiB.
    public init(label: String = "File", path: String) {
        self.label = label
        self.path = path
    }

    /// Reads it. Throws `DeskError` that names the file.
    public func choose() async throws -> AttachmentChoice {
        .chosen(bytes: try DeskFile.bytes(of: path), url: path)
    }
}

extension DeskFile {
    /// The content of a file of the disk; of a larger one, one byte more than can be sent. Throws `notFound`.
    package static func bytes(of path: String) throws(DeskError) -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw DeskError(.notFound, "\(path) can't be read; check its path")
        }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: DeskBounds.fileBytes + 1) ?? Data() else {
            throw DeskError(.notFound, "\(path) can't be read; is it a plain file?")
        }
        return Array(data)
    }
}

/// Makes a file of so many bytes, for tests: the same for the same seed.
public struct GeneratedAttachmentChooser: AttachmentChooser {
    /// The entry of the menu.
    public let label: String
    private let size: Int
    private let seed: UInt64

    /// - Parameter size: bytes.
    public init(label: String = "Generated", size: Int, seed: UInt64 = 1) {
        self.label = label
        self.size = size
        self.seed = seed
    }

    /// Never cancelled.
    public func choose() async throws -> AttachmentChoice {
        var state = seed
        let bytes = (0..<max(0, size)).map { _ -> UInt8 in
            // Linear congruential, the constants of Knuth's MMIX.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        return .chosen(bytes: bytes, url: "generated-\(size).bin")
    }
}
