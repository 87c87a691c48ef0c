import LiveKitProtocol
import NIOCore
import RTCWire
import RoomModel

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
        case .nodeFailure: vanish(.serverStopped, now)
        case .migration: vanish(.moved, now)
        case .serverLeave: room.remove(id, .serverStopped, now: now)
        case .switchCandidateProtocol: restartSubscriber(now: now)
        case .subscriberBandwidth(let bitsPerSecond): limitBandwidth(bitsPerSecond)
        case .disconnectSignalOnResume:
            simulation.resumeFault = .closesAfterMessages
            closeSignalling()
        case .disconnectSignalOnResumeNoMessages:
            simulation.resumeFault = .closesAtOnce
            closeSignalling()
        case .leaveRequestFullReconnect:
            issueFullReconnect(.left, because: "the client wants to see it", now: now)
        case nil: logger.debug("unknown scenario, not acted on")
        }
    }

    private func vanish(_ reason: DepartureReason, _ now: Instant) {
        logger.notice("simulated loss of the session", metadata: ["reason": "\(reason)"])
        room.remove(id, reason, tells: false, now: now)
    }

    private func simulateSpeaking(seconds: Int32) {
        pretend(level: 0.9)
        simulation.speaking?.cancel()
        let time = TimeAmount.seconds(Int64(max(0, min(seconds, 3600))))
        simulation.speaking = eventLoop.scheduleTask(in: time) { [weak self] in
            guard let self else { return }
            simulation.speaking = nil
            pretend(level: 0)
        }
    }

    /// Tells everybody how loud this one is said to be.
    private func pretend(level: Float) {
        let message = Livekit_SignalResponse.speakers([RoomEvent.Speaker(participant: id, level: level)])
        for participant in liveKit.participants { participant.send(message) }
    }

    /// What a test client's connection is to be taken to carry, in bit/s; 0 lifts the limit.
    private func limitBandwidth(_ bitsPerSecond: Int64) {
        subscriber.streams.capacity.imposed = bitsPerSecond > 0 ? Int(clamping: bitsPerSecond) : nil
    }
}
