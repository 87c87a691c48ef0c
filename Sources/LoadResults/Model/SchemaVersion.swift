/// `major.minor`: a minor number adds fields, a major one changes their meaning.
package struct SchemaVersion: Sendable, Equatable, CustomStringConvertible {
    package var major: Int
    package var minor: Int

    package init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let major = parts[0], let minor = parts[1], major >= 0, minor >= 0 else { return nil }
        self.init(major: major, minor: minor)
    }

    package var description: String { "\(major).\(minor)" }
}

extension SchemaVersion: Codable {
    package init(from decoder: any Decoder) throws {
        let field = try decoder.singleValueContainer()
        guard let version = Self(try field.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: field, debugDescription: "a version is MAJOR.MINOR")
        }
        self = version
    }

    package func encode(to encoder: any Encoder) throws {
        var field = encoder.singleValueContainer()
        try field.encode(description)
    }
}
