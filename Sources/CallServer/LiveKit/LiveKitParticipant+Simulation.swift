import LiveKitProtocol
import NIOCore
import RTCWire

/// What a test client has asked us to act out, one of each at a time.
struct Simulation {
    /// What goes wrong at its next resume.
    var resumeFault: ResumeFault?
    /// Ends its pretended speech.
    var speaking: Scheduled<Void>?
}

extension LiveKitParticipant {
    /// Acts out what a test client wants to see.
    func simulate(_ request: Livekit_SimulateScenario, now: Instant) {
        switch request.scenario {
        case .speakerUpdate(let seconds): simulateSpeaking(seconds: seconds)
        // The session is gone as with its node, without a word: what the client knows is not known here any more.
        case .nodeFailure: vanish(.serverShutdown, now)
        case .migration: vanish(.migration, now)
        case .serverLeave: room.remove(sid, reason: .serverShutdown, now: now)
        case .switchCandidateProtocol: restartSubscriber(now: now)
        case .subscriberBandwidth(let bitsPerSecond): limitBandwidth(bitsPerSecond)
        case .disconnectSignalOnResume:
            simulation.resumeFault = .closesAfterMessages
            closeSignalling()
        case .disconnectSignalOnResumeNoMessages:
            simulation.resumeFault = .closesAtOnce
            closeSignalling()
        case .leaveRequestFullReconnect:
            issueFullReconnect(.clientInitiated, because: "the client wants to see it", now: now)
        case nil: logger.debug("unknown scenario, not acted on")
        }
    }

    private func vanish(_ reason: Livekit_DisconnectReason, _ now: Instant) {
        logger.notice("simulated loss of the session", metadata: ["reason": "\(reason)"])
        room.remove(sid, reason: reason, tell: false, now: now)
    }

    private func simulateSpeaking(seconds: Int32) {
        room.tellEverybody(speaker: sid, level: 0.9)
        simulation.speaking?.cancel()
        let time = TimeAmount.seconds(Int64(max(0, min(seconds, 3600))))
        simulation.speaking = eventLoop.scheduleTask(in: time) { [weak self] in
            guard let self else { return }
            simulation.speaking = nil
            room.tellEverybody(speaker: sid, level: 0)
        }
    }
}

extension LiveKitRoom {
    fileprivate func tellEverybody(speaker sid: String, level: Float) {
        let message = Livekit_SignalResponse.with {
            $0.speakersChanged.speakers = [
                .with {
                    $0.sid = sid
                    $0.level = level
                    $0.active = level > 0
                }
            ]
        }
        for participant in participants.values { participant.send(message) }
    }
}
