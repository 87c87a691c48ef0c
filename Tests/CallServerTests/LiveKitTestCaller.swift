import LiveKitProtocol
import RTCCore
import RTCWire
import Testing

@testable import CallServer

/// A whole client of version 1: signalling and one media connection.
struct Caller {
    var signal: LiveKitTestClient
    let media: MediaTestClient
    let join: Livekit_JoinResponse

    /// `grant` changes the token, `request` the join request; `path` may put something between the client and the
    /// server's candidate.
    static func join(
        _ server: CallServer, _ identity: String, seed: UInt64,
        codecs: [CodecCapability] = MediaTestClient.browserCodecs,
        grant: (inout VideoGrant) -> Void = { _ in },
        request: (inout Livekit_JoinRequest) -> Void = { _ in },
        path: (ICECandidate) async throws -> ICECandidate = { $0 }
    ) async throws -> Caller {
        let media = try await MediaTestClient.make(seed: seed, codecs: codecs)
        let offer = try await media.offer(audioReceivers: 1, videoReceivers: 1, application: true)
        let token = TestTokens.join(identity, grant)
        let signal = try await LiveKitTestClient.join(server.port, token: token) {
            $0.publisherOffer.type = "offer"
            $0.publisherOffer.sdp = offer
            request(&$0)
        }
        let join = try await signal.next(\.joining)
        let caller = Caller(signal: signal, media: media, join: join)
        try await caller.takeAnswer()
        let trickle = try await signal.next(\.trickling)
        #expect(trickle.final)
        let candidate = try #require(JSONText.candidate(trickle.candidateInit) ?? nil)
        try await media.add(candidate: path(candidate).encoded)
        try await media.untilConnected()
        _ = try await signal.participant(identity) { $0.state == .active }
        return caller
    }

    @discardableResult
    func takeAnswer() async throws -> Livekit_SessionDescription {
        let answer = try await signal.next(\.answering)
        try await media.take(answer: answer.sdp)
        return answer
    }

    /// Offers again, as the server asks for it or because something has changed here.
    func renegotiate(id: UInt32 = 0, audio: Int = 0, video: Int = 0) async throws -> Livekit_SessionDescription {
        let offer = try await media.offer(audioReceivers: audio, videoReceivers: video)
        signal.send(
            .with {
                $0.offer.type = "offer"
                $0.offer.sdp = offer
                $0.offer.id = id
            })
        return try await takeAnswer()
    }

    func publish(
        _ type: Livekit_TrackType, _ source: Livekit_TrackSource, cid: String, ssrc: UInt32,
        _ change: (inout Livekit_AddTrackRequest) -> Void = { _ in }
    ) async throws -> String {
        signal.send(
            .with {
                $0.addTrack.cid = cid
                $0.addTrack.type = type
                $0.addTrack.source = source
                change(&$0.addTrack)
            })
        let published = try await signal.next(\.published)
        #expect(published.cid == cid)
        try await media.addSender(type == .video ? .video : .audio, cid: cid, ssrc: ssrc)
        _ = try await renegotiate()
        return published.track.sid
    }

    /// Waits for the server's wish for an offer, and fulfils it.
    func followRequirement() async throws -> Livekit_SessionDescription {
        let requirement = try await signal.next { response -> Livekit_MediaSectionsRequirement? in
            if case .mediaSectionsRequirement(let requirement) = response.message { requirement } else { nil }
        }
        return try await renegotiate(id: 9, audio: Int(requirement.numAudios), video: Int(requirement.numVideos))
    }

    /// Comes back to signalling as clients do: says what it thinks, then restarts ICE by an offer.
    mutating func resume(
        _ server: CallServer, _ identity: String, sync: Livekit_SyncState = Livekit_SyncState()
    ) async throws -> Livekit_ReconnectResponse {
        signal = try await LiveKitTestClient.resume(server.port, identity, sid: join.participant.sid)
        guard case .reconnect(let reconnect) = try await signal.next().message else {
            throw HTTPTestClient.Failure.closed
        }
        signal.send(.with { $0.syncState = sync })
        return reconnect
    }

    /// The offer of a resume, its answer and the server's new candidate.
    func restartICE() async throws {
        try await media.restartICE()
        _ = try await renegotiate()
        let trickle = try await signal.next(\.trickling)
        let candidate = try #require(JSONText.candidate(trickle.candidateInit) ?? nil)
        try await media.add(candidate: candidate.encoded)
    }
}

extension LiveKitTestClient {
    /// Opens a connection that asks for an earlier session.
    static func resume(_ port: Int, _ identity: String, sid: String) async throws -> LiveKitTestClient {
        try await join(port, token: TestTokens.join(identity)) {
            $0.reconnect = true
            $0.reconnectReason = .rrSignalDisconnected
            $0.participantSid = sid
        }
    }
}
