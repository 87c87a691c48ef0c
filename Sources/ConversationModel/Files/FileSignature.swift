/// What a file is by its first bytes, as far as that matters: what is run or shown must not come as something else.
public enum FileSignature: String, Sendable, Hashable, CaseIterable {
    case png = "a PNG picture"
    case jpeg = "a JPEG picture"
    case gif = "a GIF picture"
    case webp = "a WebP picture"
    case pdf = "a PDF document"
    case zip = "a ZIP archive"
    case mp4 = "an MP4 file"
    case wave = "WAVE sound"
    case ogg = "an Ogg file"
    case matroska = "a WebM or Matroska file"
    case mp3 = "MP3 sound"
    case executable = "a program"
    case script = "a script"
    case page = "a web page"
    case text = "text"
    case empty = "nothing"
    case other = "something else"

    /// So many bytes of a file are looked at.
    public static let bytes = 512

    /// - Parameter head: the file's first bytes.
    public init(_ head: [UInt8]) {
        let head = Array(head.prefix(Self.bytes))
        self = Self.binary(head) ?? Self.words(head)
    }

    private static func binary(_ head: [UInt8]) -> FileSignature? {
        func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: bytes) }
        func says(_ text: String, at offset: Int = 0) -> Bool { has(Array(text.utf8), at: offset) }
        if head.isEmpty { return .empty }
        if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if has([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if says("GIF87a") || says("GIF89a") { return .gif }
        if says("RIFF"), says("WEBP", at: 8) { return .webp }
        if says("RIFF"), says("WAVE", at: 8) { return .wave }
        if says("%PDF-") { return .pdf }
        if has([0x50, 0x4B, 0x03, 0x04]) || has([0x50, 0x4B, 0x05, 0x06]) { return .zip }
        if says("ftyp", at: 4) { return .mp4 }
        if says("OggS") { return .ogg }
        if has([0x1A, 0x45, 0xDF, 0xA3]) { return .matroska }
        if says("ID3") || has([0xFF, 0xFB]) || has([0xFF, 0xF3]) || has([0xFF, 0xF2]) { return .mp3 }
        // ELF, PE, Mach-O (four ways), Java and universal binaries, WebAssembly, Dalvik.
        let programs: [[UInt8]] = [
            [0x7F, 0x45, 0x4C, 0x46], [0x4D, 0x5A], [0xFE, 0xED, 0xFA, 0xCE], [0xFE, 0xED, 0xFA, 0xCF],
            [0xCE, 0xFA, 0xED, 0xFE], [0xCF, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE], [0x00, 0x61, 0x73, 0x6D],
            [0x64, 0x65, 0x78, 0x0A],
        ]
        return programs.contains { has($0) } ? .executable : nil
    }

    private static func words(_ head: [UInt8]) -> FileSignature {
        if head.starts(with: [0x23, 0x21]) { return .script }
        // A byte order mark and blanks may stand before what a browser takes for a page.
        let start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        let text = String(decoding: start.drop { $0 <= 0x20 }.prefix(32), as: UTF8.self).lowercased()
        let pages = [
            "<!doctype html", "<html", "<head", "<body", "<script", "<iframe", "<svg", "<!--", "<?php", "<?xml",
        ]
        if pages.contains(where: text.hasPrefix) { return .page }
        let isText = head.allSatisfy {
            $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0C || $0 == 0x0D
        }
        return isText ? .text : .other
    }

    /// Whether a file of that media type (without parameters, in small letters) may begin so. A type that we know begins as it
    /// should; programs, scripts and pages come as themselves only; an empty file is fit for anything.
    func fits(_ type: String) -> Bool {
        if self == .empty { return true }
        if let wanted = Self.wanted[type] { return wanted.contains(self) }
        switch self {
        case .executable: return ["application/octet-stream", "application/x-executable"].contains(type)
        case .script:
            return type == "application/octet-stream" || type == "application/x-sh" || type == "text/x-shellscript"
        case .page:
            return ["application/octet-stream", "text/html", "image/svg+xml", "application/xml", "text/xml"].contains(
                type)
        default: break
        }
        if type.hasPrefix("text/") { return self == .text }
        if type.hasPrefix("image/") { return ![.text, .pdf, .zip].contains(self) }
        return true
    }

    private static let wanted: [String: Set<FileSignature>] = [
        "image/png": [.png], "image/jpeg": [.jpeg], "image/gif": [.gif], "image/webp": [.webp],
        "application/pdf": [.pdf], "application/zip": [.zip], "video/mp4": [.mp4], "audio/mp4": [.mp4],
        "audio/wav": [.wave], "audio/ogg": [.ogg], "video/ogg": [.ogg], "video/webm": [.matroska],
        "audio/webm": [.matroska], "audio/mpeg": [.mp3], "text/plain": [.text], "text/csv": [.text],
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": [.zip],
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": [.zip],
    ]
}
