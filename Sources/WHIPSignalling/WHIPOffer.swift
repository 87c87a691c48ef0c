import RTCWire

/// Who a session is for.
package enum WHIPRole: String, Sendable, Hashable, CaseIterable {
    /// Sends media to the room (RFC 9725).
    case publisher = "whip"
    /// Gets media of the room (draft-ietf-wish-whep).
    case viewer = "whep"
}

/// What of a well-formed offer a session can't be made of: the words for a 422.
package struct WHIPOfferFault: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
}

/// An offer that a session may be made of, as far as its text tells.
package struct WHIPOffer: Sendable, Hashable {
    package private(set) var session: SDPSession

    package init(_ session: SDPSession, role: WHIPRole) throws(WHIPOfferFault) {
        self.session = session
        let live = session.media.filter { !$0.isRejected && ($0.kind == .audio || $0.kind == .video) }
        guard session.media.count <= Self.mostSections else {
            throw WHIPOfferFault(
                description: "the offer has \(session.media.count) m-lines; at most \(Self.mostSections) are taken")
        }
        let useful = live.filter { Self.serves($0, session, role) }
        guard !useful.isEmpty else { throw Self.nothingUseful(role) }
        guard live.count < 2 || session.bundle != nil else {
            throw WHIPOfferFault(description: "the offer has no BUNDLE group; use bundlePolicy \"max-bundle\"")
        }
        if let section = live.first(where: { !$0.rtcpMux }) {
            throw WHIPOfferFault(
                description:
                    "m-line \"\((section.mid ?? "").prefix(32))\" has no a=rtcp-mux; RTCP has no port of its own here")
        }
    }

    private static func serves(_ section: SDPMedia, _ session: SDPSession, _ role: WHIPRole) -> Bool {
        let direction = section.statedDirection ?? session.statedDirection ?? .sendrecv
        return role == .publisher ? direction.sends : direction.receives
    }

    private static func nothingUseful(_ role: WHIPRole) -> WHIPOfferFault {
        switch role {
        case .publisher:
            WHIPOfferFault(description: "the offer sends neither audio nor video; offer a sendonly m-line for each")
        case .viewer:
            WHIPOfferFault(description: "the offer receives neither audio nor video; offer a recvonly m-line for each")
        }
    }

    /// The credentials of the session, or of the first m-line that has some.
    package var ufrag: String? { session.iceUfrag ?? session.media.lazy.compactMap(\.iceUfrag).first }

    /// The same offer in a new ICE generation: what an ICE restart says, which sends the credentials alone.
    mutating func renew(_ credentials: (ufrag: String, pwd: String)) {
        func replace(_ section: inout some SDPSection) {
            if section.iceUfrag != nil { section.set("ice-ufrag", credentials.ufrag) }
            if section.icePwd != nil { section.set("ice-pwd", credentials.pwd) }
            section.remove("candidate")
            section.remove("end-of-candidates")
        }
        replace(&session)
        for index in session.media.indices { replace(&session.media[index]) }
    }

    /// A page's fullest offer has about six.
    package static let mostSections = 16
}
