/// The first line of a YUV4MPEG2 file: `YUV4MPEG2 W640 H360 F30:1 Ip A1:1 C420jpeg`.
struct Y4MHeader: Hashable {
    var width = 0
    var height = 0
    var frameRate = 30.0

    /// The longest header or frame line that is read.
    static let lineLimit = 1_024

    static let convert = "convert it, for example: ffmpeg -i FILE -pix_fmt yuv420p new.y4m"

    /// Bytes of one picture.
    var frameSize: Int { width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2) }

    init(line: [UInt8], file: String) throws(MediaError) {
        let words = line.split(separator: UInt8(ascii: " "))
        guard let magic = words.first, magic.elementsEqual("YUV4MPEG2".utf8) else {
            throw MediaError(.unsupported, file, "is not a Y4M file", remedy: Self.convert)
        }
        for word in words.dropFirst() {
            let value = String(decoding: word.dropFirst(), as: UTF8.self)
            switch word.first {
            case UInt8(ascii: "W"): width = Int(value) ?? 0
            case UInt8(ascii: "H"): height = Int(value) ?? 0
            case UInt8(ascii: "F"): frameRate = try Self.rate(value, file)
            case UInt8(ascii: "I"): try Self.checkInterlace(value, file)
            case UInt8(ascii: "C"): try Self.checkColor(value, file)
            default: break
            }
        }
        guard (1...16_384).contains(width), (1...16_384).contains(height), width * height <= 1 << 26 else {
            throw MediaError(
                .unsupported, file, "has pictures of \(width)x\(height)", remedy: "use sides of 1 to 16384")
        }
    }

    private static func rate(_ value: String, _ file: String) throws(MediaError) -> Double {
        let parts = value.split(separator: ":").map { Double($0) ?? 0 }
        guard parts.count == 2, parts[0] > 0, parts[1] > 0 else {
            throw MediaError(.corrupt, file, "has the frame rate '\(value.prefix(32))'", remedy: convert)
        }
        let rate = parts[0] / parts[1]
        guard (0.1...1_000).contains(rate) else {
            throw MediaError(
                .unsupported, file, "has \(rate) pictures a second", remedy: "use a frame rate of 0.1 to 1000")
        }
        return rate
    }

    private static func checkInterlace(_ value: String, _ file: String) throws(MediaError) {
        guard value == "p" || value == "?" else {
            throw MediaError(
                .unsupported, file, "is interlaced",
                remedy: "deinterlace it, for example: ffmpeg -i FILE -vf yadif -pix_fmt yuv420p new.y4m")
        }
    }

    private static func checkColor(_ value: String, _ file: String) throws(MediaError) {
        guard ["420", "420jpeg", "420mpeg2", "420paldv"].contains(value) else {
            throw MediaError(
                .unsupported, file, "has the pixel format '\(value.prefix(32))'; only 8-bit 4:2:0 is read",
                remedy: convert)
        }
    }
}
