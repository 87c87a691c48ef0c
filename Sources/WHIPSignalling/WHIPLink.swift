/// A STUN or TURN server as a `Link` field says it (RFC 9725 section 4.6, RFC 8288).
package struct WHIPLink: Sendable, Hashable {
    /// `stun:host:port`, `turn:host:port?transport=udp` and the like.
    package var url: String
    /// Empty where none is needed.
    package var username: String
    package var credential: String

    package init(url: String, username: String = "", credential: String = "") {
        self.url = url
        self.username = username
        self.credential = credential
    }

    /// `<turn:host>; rel="ice-server"; username="u"; credential="c"; credential-type="password"`.
    package var field: String {
        var text = "<\(Self.reference(url))>; rel=\"ice-server\""
        guard !username.isEmpty else { return text }
        text += "; username=\(Self.quoted(username)); credential=\(Self.quoted(credential))"
        return text + "; credential-type=\"password\""
    }

    /// A quoted string (RFC 9110 section 5.6.4); what no field may hold is left out.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7f {
            if scalar == "\"" || scalar == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }

    /// Without what would end the reference.
    private static func reference(_ url: String) -> String {
        String(String.UnicodeScalarView(url.unicodeScalars.filter { $0.value > 0x20 && $0 != ">" && $0.value < 0x7f }))
    }
}
