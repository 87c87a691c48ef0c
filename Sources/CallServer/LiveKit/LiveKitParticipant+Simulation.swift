import LiveKitProtocol

extension LiveKitParticipant {
    /// Acts out what a test client wants to see.
    func simulate(_ request: Livekit_SimulateScenario) {
        switch request.scenario {
        case .speakerUpdate(let seconds): simulateSpeaking(seconds: seconds)
        // The session is gone as with its node, without a word: what the client knows is not known here any more.
        case .nodeFailure: vanish(.serverShutdown)
        case .migration: vanish(.migration)
        case .serverLeave: room.remove(sid, reason: .serverShutdown)
        case .switchCandidateProtocol: restartSubscriber()
        case .subscriberBandwidth(let bitsPerSecond): limitBandwidth(bitsPerSecond)
        case .disconnectSignalOnResume:
            resumeFault = .closesAfterMessages
            closeSignalling()
        case .disconnectSignalOnResumeNoMessages:
            resumeFault = .closesAtOnce
            closeSignalling()
        case .leaveRequestFullReconnect: issueFullReconnect(.clientInitiated, because: "the client wants to see it")
        case nil: logger.debug("unknown scenario, not acted on")
        }
    }

    private func vanish(_ reason: Livekit_DisconnectReason) {
        logger.notice("simulated loss of the session", metadata: ["reason": "\(reason)"])
        room.remove(sid, reason: reason, tell: false)
    }

    private func simulateSpeaking(seconds: Int32) {
        room.tellEverybody(speaker: sid, level: 0.9)
        after(max(0, min(Int(seconds), 3600)) * 1000) { $0.room.tellEverybody(speaker: $0.sid, level: 0) }
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
