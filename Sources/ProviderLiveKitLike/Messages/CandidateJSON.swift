import Foundation
import MediaCore

/// The JSON form of a trickled candidate: the web's `RTCIceCandidateInit`.
struct CandidateJSON: Codable {
    var candidate: String
    var sdpMid: String?
    var sdpMLineIndex: Int?
    var usernameFragment: String?

    static func encode(_ candidate: SessionCandidate) -> String {
        let value = CandidateJSON(
            candidate: candidate.candidate, sdpMid: candidate.mid ?? "0", sdpMLineIndex: candidate.lineIndex ?? 0,
            usernameFragment: candidate.usernameFragment)
        return (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// nil for anything that is no candidate.
    static func decode(_ text: String) -> SessionCandidate? {
        guard let value = try? JSONDecoder().decode(CandidateJSON.self, from: Data(text.utf8)) else { return nil }
        return SessionCandidate(
            candidate: value.candidate, mid: value.sdpMid, lineIndex: value.sdpMLineIndex,
            usernameFragment: value.usernameFragment)
    }
}
