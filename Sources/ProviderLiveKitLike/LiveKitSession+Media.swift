import CallBridge
import LiveKitProtocol
import MediaCore

/// Negotiation of the media connections, and what they report.
extension LiveKitSession {
    /// Offers on the connection that we offer on; while an answer is out the offer waits for it.
    func negotiate() async throws {
        guard let offer = try await publisher.nextOffer() else { return }
        sendOffer(offer)
    }

    private func sendOffer(_ offer: SessionDescription) {
        send {
            $0.offer = .with {
                $0.type = "offer"; $0.sdp = offer.sdp
            }
        }
    }

    func handleAnswer(_ answer: Livekit_SessionDescription) async {
        roster.midToTrack.merge(answer.midToTrackID) { $1 }
        do {
            let description = SessionDescription(kind: .answer, sdp: answer.sdp)
            if let next = try await publisher.takeAnswer(description) { sendOffer(next) }
        } catch {
            await finish(.systemShutdown, detail: "the server's answer can't be used: \(error)")
        }
    }

    /// Only with two connections: the server offers what we receive.
    func handleOffer(_ offer: Livekit_SessionDescription) async {
        guard let subscriber else { return }
        do {
            let answer = try await subscriber.createAnswer(to: SessionDescription(kind: .offer, sdp: offer.sdp))
            send {
                $0.answer = .with {
                    $0.type = "answer"
                    $0.sdp = answer.sdp
                    $0.id = offer.id
                }
            }
        } catch {
            await finish(.systemShutdown, detail: "the server's offer can't be used: \(error)")
        }
    }

    func handleTrickle(_ trickle: Livekit_TrickleRequest) async {
        guard let candidate = CandidateJSON.decode(trickle.candidateInit) else { return }
        let media = trickle.target == .subscriber ? subscriber ?? publisher.media : publisher.media
        try? await media.addRemoteCandidate(candidate)
    }

    /// The server wants more sections to send to us on; 0 and 0 only asks for another offer.
    func addSections(_ wanted: Livekit_MediaSectionsRequirement) async {
        do {
            try await publisher.media.addReceivers(
                audio: Int(min(wanted.numAudios, 256)), video: Int(min(wanted.numVideos, 256)))
            try await negotiate()
        } catch {
            await finish(.systemShutdown, detail: "the media connection can't be extended: \(error)")
        }
    }

    func handle(_ event: MediaSessionEvent, fromPublisher: Bool) async {
        switch event {
        case .localCandidate(let candidate):
            send {
                $0.trickle = .with {
                    $0.candidateInit = CandidateJSON.encode(candidate)
                    $0.target = fromPublisher ? .publisher : .subscriber
                }
            }
        case .connected(let profile):
            // With two connections the one that we receive on is there from the start; it decides.
            if isSingle || !fromPublisher { report.yield(.mediaConnected(srtpProfile: profile)) }
        case .stateChanged(let state): stateChanged(state)
        case .trackAdded(let track): announce(track, sid: sid(of: track))
        case .trackRemoved(let track):
            let sid = sid(of: track)
            guard let owner = roster.owner(of: sid) else { return }
            report.yield(.trackUnsubscribed(trackID: sid, participantID: owner))
        case .audioLevels(let levels):
            let named = levels.compactMap { level in
                roster.owner(of: level.trackID).map {
                    ParticipantLevel(participantID: $0, level: level.level, atNanoseconds: level.atNanoseconds)
                }
            }
            report.yield(.audioLevels(named))
        case .dataChannelOpened, .dataChannelMessage, .dataChannelClosed: break
        case .failed(let why): await finish(.systemShutdown, detail: "the media connection failed: \(why)")
        }
    }

    private func stateChanged(_ state: SessionState) {
        switch state {
        case .disconnected:
            isImpaired = true
            report.yield(.reconnecting)
        case .connected where isImpaired:
            isImpaired = false
            report.yield(.reconnected)
        default: break
        }
    }

    /// The server's id of a negotiated track: by its section in the single mode, else from its stream id `PA_...|TR_...`.
    private func sid(of track: RemoteTrack) -> String {
        if isSingle, let sid = roster.midToTrack[track.mid] { return sid }
        if let bar = track.streamID.firstIndex(of: "|") {
            let rest = String(track.streamID[track.streamID.index(after: bar)...])
            if rest.hasPrefix("TR_") { return rest }
        }
        return track.trackID
    }
}

/// The connection that we offer on: one offer at a time, the next one after its answer.
actor Negotiation {
    nonisolated let media: MediaSession
    private var isAnswerPending: Bool
    private var isOfferWanted = false

    init(_ media: MediaSession, isAnswerPending: Bool) {
        self.media = media
        self.isAnswerPending = isAnswerPending
    }

    /// An offer to send now, or nil where it has to wait for the answer to the one before.
    func nextOffer() async throws -> SessionDescription? {
        guard !isAnswerPending else {
            isOfferWanted = true
            return nil
        }
        isAnswerPending = true
        return try await media.createOffer()
    }

    /// Takes an answer; returns the offer that has been waiting for it.
    func takeAnswer(_ answer: SessionDescription) async throws -> SessionDescription? {
        try await media.setAnswer(answer)
        isAnswerPending = false
        guard isOfferWanted else { return nil }
        isOfferWanted = false
        return try await nextOffer()
    }
}
