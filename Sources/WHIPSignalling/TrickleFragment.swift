import RTCWire

/// ICE credentials and candidates that travel without their description: `application/trickle-ice-sdpfrag` (RFC 8840
/// section 9).
///
///     a=ice-ufrag:EsAw
///     a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
///     m=audio 9 UDP/TLS/RTP/SAVPF 0
///     a=mid:0
///     a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host
///     a=end-of-candidates
package struct TrickleFragment: SDPSection, Hashable, Sendable {
    package static let contentType = "application/trickle-ice-sdpfrag"

    /// What goes before the first m-line.
    package var lines: [SDPLine]
    /// Pseudo m-lines: each says by its mid whose candidates follow.
    package var media: [SDPMedia]

    package init(lines: [SDPLine] = [], media: [SDPMedia] = []) {
        self.lines = lines
        self.media = media
    }

    /// New credentials of a session and all candidates that go with them, as an ICE restart is answered.
    package init(credentials: (ufrag: String, pwd: String), mediaLine: SDPMedia, candidates: [ICECandidate]) {
        self.init()
        add("ice-ufrag", credentials.ufrag)
        add("ice-pwd", credentials.pwd)
        var section = SDPMedia(
            kind: mediaLine.kind, port: 9, protocolName: mediaLine.protocolName, formats: ["0"])
        if let mid = mediaLine.mid { section.add("mid", mid) }
        for candidate in candidates { section.add("candidate", candidate.description) }
        section.add("end-of-candidates")
        media = [section]
    }

    /// The credentials that the candidates belong to: the session's, or those of the first m-line that has some.
    package var credentials: (ufrag: String, pwd: String)? {
        let sections: [any SDPSection] = [self] + media
        for section in sections { if let ufrag = section.iceUfrag, let pwd = section.icePwd { return (ufrag, pwd) } }
        return nil
    }

    /// The name of the generation alone, as fragments with candidates of the present one may have it.
    package var ufrag: String? { iceUfrag ?? media.lazy.compactMap(\.iceUfrag).first }
}

/// Why a text is no fragment that is taken. Lines count from 1.
package enum TrickleFragmentError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLarge(bytes: Int)
    case notText
    case tooManyLines
    /// Neither `a=...` nor `m=...`.
    case malformedLine(Int)
    case malformedMediaLine(Int)
    case malformedCandidate(Int, SDPError)

    package var description: String {
        switch self {
        case .tooLarge(let bytes):
            "a fragment of \(bytes) bytes is too large; send at most \(TrickleFragment.largest) at a time"
        case .notText: "the fragment is no UTF-8 text, or has a NUL or a bare carriage return in a line"
        case .tooManyLines: "the fragment has more than \(TrickleFragment.mostLines) lines; send fewer at a time"
        case .malformedLine(let line): "line \(line) of the fragment is neither a=... nor m=... (RFC 8840 section 9)"
        case .malformedMediaLine(let line): "line \(line) of the fragment is no m-line: m=audio 9 UDP/TLS/RTP/SAVPF 0"
        case .malformedCandidate(let line, let error): "line \(line) of the fragment: \(error)"
        }
    }
}

extension TrickleFragment {
    /// Bytes of a fragment.
    package static let largest = 32 * 1024
    package static let mostLines = 512

    /// Reads a fragment; line ends may be CRLF or LF.
    package init(parsing bytes: some Collection<UInt8>) throws(TrickleFragmentError) {
        guard bytes.count <= Self.largest else { throw .tooLarge(bytes: bytes.count) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        self.init()
        var number = 0
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard number <= Self.mostLines else { throw .tooManyLines }
            var line = line
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if line.isEmpty { continue }
            guard !line.contains(0), !line.contains(UInt8(ascii: "\r")) else { throw .notText }
            try take(String(Substring(line)), number)
        }
    }

    private mutating func take(_ line: String, _ number: Int) throws(TrickleFragmentError) {
        let value = String(line.dropFirst(2))
        if line.utf8.starts(with: "m=".utf8) {
            guard let section = SDPMedia(parsing: value) else { throw .malformedMediaLine(number) }
            return media.append(section)
        }
        guard line.utf8.starts(with: "a=".utf8), !value.isEmpty else { throw .malformedLine(number) }
        if value.utf8.starts(with: "candidate:".utf8) {
            do { _ = try ICECandidate(parsing: value) } catch { throw .malformedCandidate(number, error) }
        }
        let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let attribute = SDPLine.attribute(SDPAttribute(parts[0], parts.count > 1 ? parts[1] : nil))
        if media.isEmpty { lines.append(attribute) } else { media[media.count - 1].lines.append(attribute) }
    }
}

extension TrickleFragment: CustomStringConvertible {
    /// The text with CRLF line ends.
    package var description: String {
        var text = ""
        Self.write(lines, into: &text)
        for section in media {
            text += "m=\(section.mediaLine)\r\n"
            Self.write(section.lines, into: &text)
        }
        return text
    }

    private static func write(_ lines: [SDPLine], into text: inout String) {
        for line in lines {
            line.write(into: &text)
            text += "\r\n"
        }
    }
}
