/// Names of files that others chose: for people, and as one name in a folder of ours.
public enum FileName {
    /// Bytes of UTF-8.
    public static let longest = 200
    private static let fallback = "file"
    /// Devices on some systems, whatever follows the dot.
    private static let reserved: Set<String> = {
        var names: Set<String> = ["con", "prn", "aux", "nul"]
        for number in 1...9 { names.formUnion(["com\(number)", "lpt\(number)"]) }
        return names
    }()

    /// Why a name is refused where it comes in: it would lead elsewhere, hide, or deceive. Nil for a good one.
    public static func fault(_ name: String) -> String? {
        sanitised(name) == name
            ? nil : "use one name of at most \(longest) bytes, without folders and control characters"
    }

    /// A name that leads nowhere else, does not hide and does not steer a terminal: the last part, without control characters,
    /// marks that change the direction of writing, dots first and blanks or dots last.
    public static func sanitised(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if scalar == "/" || scalar == "\\" {
                scalars = .init()
            } else if isHarmless(scalar) {
                scalars.append(scalar)
            }
        }
        // Scalars, since a dot with an accent is no dot to a character, and one to a file system.
        let text = trimmed(String(scalars.drop { $0 == "." || $0.properties.isWhitespace }))
        guard !text.isEmpty else { return fallback }
        var result = cut(text)
        let stem = result.prefix { $0 != "." }.lowercased()
        if reserved.contains(stem) { result = "_" + result }
        return result
    }

    /// Another name for the same file in a folder where there is one: `picture (1).png`.
    public static func numbered(_ name: String, _ number: Int) -> String {
        let (stem, ending) = parts(name)
        let suffix = " (\(number))" + ending
        return shortened(stem, longest - suffix.utf8.count) + suffix
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Controls; what Windows takes for a path, a stream, a pattern or a pipe.
        case 0..<0x20, 0x7F..<0xA0: false
        case 0x3A, 0x2A, 0x3F, 0x22, 0x3C, 0x3E, 0x7C: false
        // Marks that turn writing around or can't be seen, line ends, private and half characters.
        case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF0...0xFFFF, 0x061C: false
        case 0xE000...0xF8FF, 0xF0000...0x10FFFF, 0xE0000...0xE0FFF: false
        default: true
        }
    }

    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars
        while let last = scalars.last, last == "." || last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }

    /// The ending stays: it tells people, and systems, what it is.
    private static func cut(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        let (stem, ending) = parts(name)
        let result = trimmed(shortened(stem, longest - ending.utf8.count) + ending)
        return result.isEmpty ? fallback : result
    }

    private static func parts(_ name: String) -> (stem: String, ending: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
        let ending = name[dot...]
        return ending.utf8.count <= 16 ? (String(name[..<dot]), String(ending)) : (name, "")
    }

    /// Whole characters, so many bytes at most.
    private static func shortened(_ text: String, _ bytes: Int) -> String {
        var (result, count) = ("", 0)
        for character in text {
            count += character.utf8.count
            guard count <= bytes else { break }
            result.append(character)
        }
        return result
    }
}
