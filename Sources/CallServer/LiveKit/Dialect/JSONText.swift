import Foundation
import RTCWire

/// The two pieces of JSON inside LiveKit's messages.
enum JSONText {
    /// RTCIceCandidateInit.
    private struct CandidateInit: Codable {
        var candidate: String
        var sdpMid: String?
        var sdpMLineIndex: Int?
        var usernameFragment: String?

        enum CodingKeys: CodingKey { case candidate, sdpMid, sdpMLineIndex, usernameFragment }

        // Clients unwrap every field, so that an absent one is written as null.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(candidate, forKey: .candidate)
            try container.encode(sdpMid, forKey: .sdpMid)
            try container.encode(sdpMLineIndex, forKey: .sdpMLineIndex)
            try container.encode(usernameFragment, forKey: .usernameFragment)
        }
    }

    /// A candidate of ours as the clients read it.
    static func candidate(_ candidate: ICECandidate, mid: String, line: Int) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let value = CandidateInit(candidate: candidate.encoded, sdpMid: mid, sdpMLineIndex: line)
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// A client's candidate: nil where the text is no candidate; the inner optional is nil at the end of candidates.
    static func candidate(_ text: String) -> ICECandidate?? {
        guard text.utf8.count <= 8192, let value = try? JSONDecoder().decode(CandidateInit.self, from: Data(text.utf8))
        else {
            return nil
        }
        if value.candidate.isEmpty { return .some(nil) }
        guard let candidate = try? ICECandidate(parsing: value.candidate) else { return nil }
        return candidate
    }

    /// An object whose values are strings.
    static func strings(_ bytes: [UInt8]) -> [String: String]? {
        try? JSONDecoder().decode([String: String].self, from: Data(bytes))
    }
}
