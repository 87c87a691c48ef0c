import Foundation
import RTCWire

/// Leads media through relays by what signalling says of addresses: a server's become those of relays, a client's own are
/// kept back, so that neither side finds the direct way.
struct CandidateRewriter: Sendable {
    /// The address of the relay that leads to one of the server's.
    let relay: @Sendable (TransportAddress) -> TransportAddress

    /// A server's description: UDP addresses become relays', others are left out.
    func fromServer(sdp: String) -> String {
        Self.lines(sdp) { attribute in fromServer(candidate: attribute) }
    }

    /// A client's description without its addresses.
    static func fromClient(sdp: String) -> String { lines(sdp) { _ in nil } }

    /// A server's candidate, with or without `a=` or `candidate:`; nil where it must not be told.
    func fromServer(candidate text: String) -> String? {
        guard var candidate = try? ICECandidate(parsing: text), candidate.transportProtocol == .udp,
            let address = candidate.address
        else { return nil }
        let own = relay(address)
        (candidate.host, candidate.port) = (own.host, own.port)
        // The base would tell the address that is hidden.
        if candidate.relatedHost != nil { (candidate.relatedHost, candidate.relatedPort) = ("0.0.0.0", 0) }
        return candidate.encoded
    }

    /// The JSON form that trickled candidates have (RTCIceCandidateInit). An empty candidate is the end and stays. Nil where it
    /// must not be told.
    func fromServer(candidateInit json: String) -> String? {
        guard let (fields, candidate) = Self.read(json) else { return nil }
        guard !candidate.isEmpty else { return json }
        return fromServer(candidate: candidate).flatMap { Self.text(fields, candidate: $0) }
    }

    private static func text(_ fields: [String: Any], candidate: String) -> String? {
        var changed = fields
        changed["candidate"] = candidate
        guard let data = try? JSONSerialization.data(withJSONObject: changed) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// Whether a client's trickled candidate says no address: it is the end of them.
    static func isEnd(candidateInit json: String) -> Bool { read(json)?.candidate.isEmpty ?? true }

    private static func read(_ json: String) -> (fields: [String: Any], candidate: String)? {
        guard let fields = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any],
            let candidate = fields["candidate"] as? String
        else { return nil }
        return (fields, candidate)
    }

    /// A description or fragment with each candidate line changed, or left out where that gives nil. Line ends stay.
    private static func lines(_ sdp: String, _ change: (String) -> String?) -> String {
        var result: [UInt8] = []
        var rest = Array(sdp.utf8)[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[end...]
            guard line.starts(with: "a=candidate:".utf8) else {
                result += line
                continue
            }
            let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
            let text = line.prefix { !isEnd($0) }
            guard let changed = change(String(decoding: text, as: UTF8.self)) else { continue }
            result += "a=\(changed)".utf8
            result += line[text.endIndex...]
        }
        return String(decoding: result, as: UTF8.self)
    }
}
