/// What a server says in its refusals, made fit for our messages: short, printable, and without the secrets that it may
/// repeat.
package enum RemoteText {
    /// Scalars of an excerpt at most.
    package static let excerptLength = 300
    /// A secret that is shorter would take ordinary words out of every text.
    private static let shortestSecret = 4
    /// A part of a token that is shorter says nothing.
    private static let shortestPart = 16

    /// The beginning of `text` on one line: secrets cut out, controls escaped.
    ///
    /// - Parameter secrets: what we sent along, such as an access token; its parts between dots are cut out, too.
    package static func excerpt(_ text: String, without secrets: [String]) -> String {
        // Whole ones first: what one token has in common with all others is no secret by itself.
        let tokenless = cutTokens(replace(secrets.filter(isLong), in: text))
        let clean = cut(secrets, from: tokenless).printable.unicodeScalars
        let kept = String(String.UnicodeScalarView(clean.prefix(excerptLength)))
        return clean.count > excerptLength ? kept + "..." : kept
    }

    /// The same for bytes, of which no more is read than can be said.
    package static func excerpt(_ bytes: some Collection<UInt8>, without secrets: [String]) -> String {
        excerpt(String(decoding: bytes.prefix(16_384), as: UTF8.self), without: secrets)
    }

    /// `text` with `[secret]` in place of each of `secrets`.
    package static func cut(_ secrets: [String], from text: String) -> String {
        replace(secrets.flatMap(parts), in: text)
    }

    private static func replace(_ secrets: [String], in text: String) -> String {
        var result = text
        for secret in secrets.sorted(by: { $0.utf8.count > $1.utf8.count }) where result.contains(secret) {
            result = result.replacing(secret, with: "[secret]")
        }
        return result
    }

    private static func isLong(_ secret: String) -> Bool { secret.utf8.count >= shortestSecret }

    private static func parts(_ secret: String) -> [String] {
        guard isLong(secret) else { return [] }
        let parts = secret.split(separator: ".").map(String.init).filter { $0.utf8.count >= shortestPart }
        return parts.count > 1 ? [secret] + parts : [secret]
    }

    /// `text` with `[token]` in place of everything that looks like a JSON web token (RFC 7519): its first part begins with
    /// the encoding of `{"`.
    private static func cutTokens(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var word = String.UnicodeScalarView()
        func end() {
            let isToken = word.count >= 2 * shortestPart && String(word).hasPrefix("eyJ") && word.contains(".")
            result.append(contentsOf: isToken ? "[token]".unicodeScalars : word)
            word = .init()
        }
        for scalar in text.unicodeScalars {
            if scalar.isTokenCharacter {
                word.append(scalar)
            } else {
                end()
                result.append(scalar)
            }
        }
        end()
        return String(result)
    }
}

extension Unicode.Scalar {
    /// base64url (RFC 4648 section 5) and the dot between a token's parts.
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case "A"..."Z", "a"..."z", "0"..."9", "-", "_", ".": true
        default: false
        }
    }
}

extension String {
    /// Without what `isDropped` at both ends.
    package func trimming(while isDropped: (Character) -> Bool) -> String {
        let rest = drop(while: isDropped)
        return String(rest.prefix(upTo: (rest.lastIndex { !isDropped($0) }).map(rest.index(after:)) ?? rest.startIndex))
    }
}
