import Foundation
import LiveKitProtocol
import RTCWire

/// LiveKit's signalling on its way through `netem`: descriptions and candidates are changed, all else passes as it came.
struct SignalRewriter: Sendable {
    let candidates: CandidateRewriter
    /// The candidate that was told last for each connection, as its trickle had it.
    private var lastTold: [Livekit_SignalTarget: String] = [:]

    init(candidates: CandidateRewriter) { self.candidates = candidates }

    /// A binary message of the server; nil where it must not be told.
    mutating func fromServer(_ bytes: [UInt8]) -> [UInt8]? {
        guard var response = try? Livekit_SignalResponse(wireBytes: bytes) else { return bytes }
        switch response.message {
        case .answer(var description):
            description.sdp = candidates.fromServer(sdp: description.sdp)
            response.answer = description
        case .offer(var description):
            description.sdp = candidates.fromServer(sdp: description.sdp)
            response.offer = description
        case .trickle(var trickle):
            // A server whose last candidate is of TCP says the end with it. The end is told with the candidate before: an empty
            // one is more than LiveKit's Rust client can read.
            let last = trickle.final ? lastTold[trickle.target] : nil
            guard let told = candidates.fromServer(candidateInit: trickle.candidateInit) ?? last else { return nil }
            lastTold[trickle.target] = told
            trickle.candidateInit = told
            response.trickle = trickle
        default: return bytes
        }
        return response.wireBytes
    }

    /// A binary message of the client; nil where it must not be told.
    static func fromClient(_ bytes: [UInt8]) -> [UInt8]? {
        guard var request = try? Livekit_SignalRequest(wireBytes: bytes) else { return bytes }
        switch request.message {
        case .offer(var description):
            description.sdp = CandidateRewriter.fromClient(sdp: description.sdp)
            request.offer = description
        case .answer(var description):
            description.sdp = CandidateRewriter.fromClient(sdp: description.sdp)
            request.answer = description
        case .syncState(var state):
            if state.hasOffer { state.offer.sdp = CandidateRewriter.fromClient(sdp: state.offer.sdp) }
            if state.hasAnswer { state.answer.sdp = CandidateRewriter.fromClient(sdp: state.answer.sdp) }
            request.syncState = state
        case .trickle(let trickle):
            return CandidateRewriter.isEnd(candidateInit: trickle.candidateInit) ? bytes : nil
        default: return bytes
        }
        return request.wireBytes
    }

    /// Path and query of a client's request; a first offer in it loses its addresses.
    static func fromClient(target: String) -> String {
        guard var parts = URLComponents(string: target), var items = parts.queryItems,
            let index = items.firstIndex(where: { $0.name == "join_request" }), let text = items[index].value,
            var join = SignalReading.joinRequest(text), join.hasPublisherOffer
        else { return target }
        let hidden = CandidateRewriter.fromClient(sdp: join.publisherOffer.sdp)
        guard hidden != join.publisherOffer.sdp else { return target }
        join.publisherOffer.sdp = hidden
        var wrapped = Livekit_WrappedJoinRequest()
        let plain = join.wireBytes
        if let packed = Gzip.compress(plain), packed.count < plain.count {
            wrapped.compression = .gzip
            wrapped.joinRequest = Data(packed)
        } else {
            wrapped.joinRequest = Data(plain)
        }
        items[index].value = Base64.encodePaddedURL(wrapped.wireBytes)
        parts.queryItems = items
        return parts.string ?? target
    }

    /// Whose request it is, by its token, which nobody verifies here; nil where it has none.
    static func name(target: String, authorization: String?) -> String? {
        let query = URLComponents(string: target)?.queryItems?.first { $0.name == "access_token" }?.value
        let bearer = authorization.flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        guard let token = query ?? bearer, let claims = try? AccessToken.inspect(token) else { return nil }
        return claims.identity
    }
}
