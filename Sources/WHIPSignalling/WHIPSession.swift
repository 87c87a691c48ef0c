import RTCWire

/// One session of WHIP (RFC 9725) or WHEP (draft-ietf-wish-whep): requests in, answers and what the media has to do out.
///
/// A value without socket and clock. Who asks, and whether they may, is the shell's to know.
package struct WHIPSession: Sendable {
    /// What follows from a request.
    package enum Action: Sendable, Hashable {
        case reply(WHIPResponse)
        /// The media is to answer this offer: `answered`, `restarted` or `refused` says what came of it.
        case negotiate(offer: String)
        /// The session is over.
        case end(WHIPResponse)
    }

    private enum State {
        case new
        /// An offer is with the media; the one before stays where it is refused.
        case negotiating(WHIPOffer, before: WHIPOffer?)
        case open(WHIPOffer)
        case ended
    }

    package let role: WHIPRole
    /// Where the session is found.
    package let location: String
    /// `Link` fields of the 201: STUN and TURN servers.
    private let links: String
    private var state = State.new
    private var generation = 0
    /// Makes tags of this session unlike those of others.
    private let salt: String

    /// - Parameter salt: letters and digits, unlike those of other sessions.
    package init(role: WHIPRole, location: String, salt: String, iceServers: [WHIPLink] = []) {
        self.role = role
        self.location = location
        self.salt = salt
        links = iceServers.map(\.field).joined(separator: ", ")
    }

    /// A strong tag of the ICE session (RFC 9725 section 4.3).
    package var entityTag: String { "\"\(salt)-\(generation)\"" }

    // MARK: Requests

    /// What a POST to the endpoint asks for.
    package mutating func begin(_ request: WHIPRequest) -> Action {
        guard case .new = state else { return .reply(Self.methods(request.method)) }
        guard request.mediaType == Self.descriptionType else {
            return .reply(
                WHIPResponse(
                    415, "the body is to be an offer, Content-Type: \(Self.descriptionType)",
                    fields: ["Accept-Post": Self.descriptionType]))
        }
        guard request.accepts(Self.descriptionType) else {
            return .reply(
                WHIPResponse(406, "the answer is \(Self.descriptionType); let Accept have it, or leave it out"))
        }
        let description: SDPSession
        do { description = try SDPSession(parsing: request.body, limits: Self.limits) } catch {
            return .reply(WHIPResponse(400, "the offer can't be read: \(error)"))
        }
        do {
            let offer = try WHIPOffer(description, role: role)
            state = .negotiating(offer, before: nil)
            return .negotiate(offer: offer.session.description)
        } catch { return .reply(WHIPResponse(422, error.description)) }
    }

    /// What a request to the session itself asks for.
    package mutating func handle(_ request: WHIPRequest) -> Action {
        switch (state, request.method) {
        case (.ended, _), (.new, _): .reply(.noSession)
        case (_, "DELETE"): end()
        case (_, "OPTIONS"):
            .reply(Self.options)
        case (.open(let offer), "PATCH"): patch(request, offer)
        case (.negotiating, "PATCH"):
            .reply(WHIPResponse(409, "another change of the session is under way; try again"))
        default: .reply(Self.methods(request.method))
        }
    }

    private mutating func end() -> Action {
        state = .ended
        return .end(WHIPResponse(200))
    }

    private mutating func patch(_ request: WHIPRequest, _ offer: WHIPOffer) -> Action {
        guard request.mediaType == TrickleFragment.contentType else {
            return .reply(
                WHIPResponse(
                    415, "a session is changed by candidates, Content-Type: \(TrickleFragment.contentType)",
                    fields: ["Accept-Patch": TrickleFragment.contentType]))
        }
        guard let tags = request.ifMatch, !tags.isEmpty else {
            return .reply(
                WHIPResponse(428, "If-Match is missing: send the session's ETag, or * to restart ICE"))
        }
        guard matches(tags) else {
            return .reply(
                WHIPResponse(
                    412, "the ETag is of another ICE session than the present one", fields: ["ETag": entityTag]))
        }
        let fragment: TrickleFragment
        do { fragment = try TrickleFragment(parsing: request.body) } catch {
            return .reply(WHIPResponse(400, error.description))
        }
        guard let ufrag = fragment.ufrag ?? (tags == "*" ? nil : offer.ufrag) else {
            return .reply(WHIPResponse(422, "the fragment says no a=ice-ufrag and a=ice-pwd, which a restart needs"))
        }
        // Candidates of the present session: the peer is found by the checks that it sends.
        if ufrag == offer.ufrag { return .reply(WHIPResponse(204)) }
        guard let credentials = fragment.credentials else {
            return .reply(
                WHIPResponse(422, "a=ice-ufrag is another one than the session's, and a=ice-pwd is missing"))
        }
        return restart(offer, credentials)
    }

    private mutating func restart(_ offer: WHIPOffer, _ credentials: (ufrag: String, pwd: String)) -> Action {
        var next = offer
        next.renew(credentials)
        state = .negotiating(next, before: offer)
        return .negotiate(offer: next.session.description)
    }

    /// RFC 9110 section 13.1.1: `*`, or a list of tags of which strong ones count.
    private func matches(_ field: String) -> Bool {
        let tags = field.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
        return tags.contains("*") || tags.contains(entityTag)
    }

    // MARK: What the media says

    /// The offer is answered.
    package mutating func answered(_ sdp: String) -> WHIPResponse {
        guard case .negotiating(let offer, _) = state else { return .noSession }
        state = .open(offer)
        var fields = [
            "Location": location, "ETag": entityTag, "Accept-Patch": TrickleFragment.contentType,
        ]
        if !links.isEmpty { fields["Link"] = links }
        var response = WHIPResponse(201, fields: fields)
        response.contentType = Self.descriptionType
        response.body = sdp
        return response
    }

    /// ICE has begun anew; the answer's credentials and candidates are sent alone.
    package mutating func restarted(_ answer: String) -> WHIPResponse {
        guard case .negotiating(let offer, _) = state, let session = try? SDPSession(parsing: answer),
            let line = session.media.first(where: { $0.iceUfrag != nil }), let ufrag = line.iceUfrag,
            let pwd = line.icePwd
        else { return refused("the media gave no credentials") }
        state = .open(offer)
        generation += 1
        var response = WHIPResponse(200, fields: ["ETag": entityTag])
        response.contentType = TrickleFragment.contentType
        response.body =
            TrickleFragment(credentials: (ufrag, pwd), mediaLine: line, candidates: line.candidates).description
        return response
    }

    /// The media can't take the offer, for these reasons.
    package mutating func refused(_ reason: String) -> WHIPResponse {
        guard case .negotiating(_, let before) = state else { return .noSession }
        state = before.map(State.open) ?? .ended
        return WHIPResponse(422, "the offer can't be answered: \(reason)")
    }

    // MARK: Words

    /// Of the endpoint, for whatever isn't POST.
    package static func endpoint(_ method: String) -> WHIPResponse {
        guard method == "OPTIONS" else { return .notAllowed(method, allowed: "OPTIONS, POST") }
        return WHIPResponse(204, fields: ["Allow": "OPTIONS, POST", "Accept-Post": descriptionType])
    }

    /// Of a session.
    package static let options = WHIPResponse(
        204, fields: ["Allow": allowed, "Accept-Patch": TrickleFragment.contentType])

    private static func methods(_ method: String) -> WHIPResponse { .notAllowed(method, allowed: allowed) }

    package static let descriptionType = "application/sdp"
    private static let allowed = "DELETE, OPTIONS, PATCH"
    /// Bytes of an offer.
    package static let largestOffer = 128 * 1024

    private static var limits: SDPLimits {
        var limits = SDPLimits()
        limits.bytes = largestOffer
        limits.media = 64
        return limits
    }
}
