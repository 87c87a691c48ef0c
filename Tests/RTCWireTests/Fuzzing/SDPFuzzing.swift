import RTCWire

extension WireFuzzing {
    /// A session description, or one candidate line where the input doesn't begin as a description does.
    package static func sdp(_ input: UnsafeRawBufferPointer) {
        guard input.starts(with: "v=".utf8) else {
            if let candidate = try? ICECandidate(parsing: String(decoding: input, as: UTF8.self)) {
                _ = (candidate.address, candidate.related, candidate.ufrag, candidate.tcpType, candidate.encoded)
            }
            return
        }
        guard let session = try? SDPSession(parsing: Array(input)) else { return }
        precondition((try? SDPSession(parsing: session.encoded())) == session)
        _ = (session.origin, session.groups, session.bundle, session.fingerprints, session.iceLite, session.setup)
        for media in session.media { readEverything(media) }
    }

    private static func readEverything(_ media: SDPMedia) {
        _ = (media.mid, media.direction, media.rtpmaps, media.formatParameters, media.rtcpFeedback, media.extmaps)
        _ = (media.msids, media.ssrcs, media.ssrcGroups, media.rids, media.simulcast, media.sctpPort)
        _ = (media.candidates.map(\.address), media.fingerprints, media.setup, media.maxMessageSize)
        _ = (media.isRejected, media.isSecureRTP, media.iceUfrag, media.icePwd, media.iceOptions, media.mediaLine)
    }
}
