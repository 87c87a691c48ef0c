import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore
import Testing

@testable import ProviderLiveKitLike

/// A server, an application and media connections that do anything in any order.
@Suite struct MachineRandomTests {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }

        mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
        mutating func pick(_ names: String...) -> String { names[roll(names.count)] }
    }

    /// Whatever happens: every command is answered exactly once, no deadline comes twice, and nothing follows
    /// the end but answers.
    @Test(arguments: 0..<40) func nothingIsLeftOpen(seed: Int) {
        var dice = Dice(state: UInt64(seed))
        var settings = SignallingSettings()
        settings.streaming.adaptiveStream = true
        var session = MachineHarness(single: seed % 2 == 0, settings: settings) {
            $0.otherParticipants = [MachineSubscribingTests.ada]
        }
        var commands: [CommandID] = []
        for step in 0..<400 {
            session.isMediaWilling = dice.roll(4) != 0
            switch dice.roll(10) {
            case 0..<4: session.say { $0 = message(&dice) }
            case 4, 5: commands.append(session.ask(command(&dice, step)))
            case 6, 7: session.media(input(&dice))
            case 8: connection(&session, &dice)
            default: session.pass(seconds: Double(dice.roll(40)) / 4)
            }
            session.advance()
            if let deadline = session.machine.nextDeadline { #expect(deadline > session.now) }
        }
        session.take(.leave)
        #expect(session.machine.hasEnded && session.machine.nextDeadline == nil)
        let settled = session.takeLines().compactMap { line in
            line.hasPrefix("settle") ? CommandID(line.split(separator: " ")[1]) : nil
        }
        #expect(settled.sorted() == commands)
        commands.append(session.ask(.setMuted(true, trackID: "TR_1")))
        session.say { $0.leave.action = .reconnect }
        session.pass(seconds: 1_000)
        #expect(session.takeLines() == ["settle \(commands.count) failed"])
    }

    private func message(_ dice: inout Dice) -> Livekit_SignalResponse {
        let sid = dice.pick("TR_1", "TR_2", "TR_ada", "")
        let participant = dice.pick("PA_me", "PA_ada", "PA_bob", "")
        let number = UInt32(dice.roll(6))
        let flag = dice.roll(2) == 0
        return switch dice.roll(15) {
        case 0: .with { $0.answer = .with { ($0.type, $0.id) = ("answer", number) } }
        case 1: .with { $0.offer = .with { ($0.type, $0.id) = ("offer", number) } }
        case 2: .with { $0.trickle.candidateInit = flag ? "{}" : "{\"candidate\":\"x\"}" }
        case 3: .with { $0.mediaSectionsRequirement.numAudios = .max }
        case 4, 5, 6:
            .with {
                $0.trackPublished.cid = flag ? "a" : "b"
                $0.trackPublished.track.sid = sid
            }
        case 7: .with { $0.trackUnpublished.trackSid = sid }
        case 8:
            .with {
                $0.update.participants = [
                    .with {
                        ($0.sid, $0.version, $0.permission.canPublish) = (participant, number, flag)
                        $0.state = number == 5 ? .disconnected : .active
                        $0.tracks = flag ? [.with { $0.sid = sid }] : []
                    }
                ]
            }
        case 9: .with { $0.mute = .with { ($0.sid, $0.muted) = (sid, flag) } }
        case 10:
            .with {
                $0.requestResponse = .with { ($0.requestID, $0.reason) = (number, flag ? .ok : .notAllowed) }
                $0.requestResponse.addTrack.cid = "a"
            }
        case 11: .with { $0.leave.action = flag ? .resume : .reconnect }
        case 12: .with { $0.subscribedQualityUpdate.trackSid = sid }
        case 13: .with { $0.roomMoved.participant.sid = participant.isEmpty ? "PA_me" : participant }
        default: .with { $0.pongResp.lastPingTimestamp = .min }
        }
    }

    private func command(_ dice: inout Dice, _ step: Int) -> SignallingCommand {
        let trackID = dice.pick("TR_1", "TR_2", "TR_ada")
        let cid = dice.pick("a", "b")
        return switch dice.roll(8) {
        case 0, 1: .publish(LocalTrack(.audio(ToneSource(frequency: 440), .init()), id: cid), .microphone)
        case 2: .unpublish(trackID: trackID)
        case 3: .setMuted(true, trackID: trackID)
        case 4: .setSubscribed(false, trackID: trackID)
        case 5: .changeProfile(.name("\(step)"))
        case 6: .sendData(.with { $0.user.payload = Data([1]) })
        default: .callRemote(RemoteCall(id: "r\(step)", to: "ada", method: "m", payload: "", timeout: 3))
        }
    }

    private func input(_ dice: inout Dice) -> MediaInput {
        let side: MediaSide = dice.roll(2) == 0 ? .publisher : .subscriber
        let states: [SessionState] = [.new, .connecting, .connected, .connected, .disconnected, .failed, .closed]
        let number = UInt32(dice.roll(6))
        return switch dice.roll(10) {
        case 0..<4: .event(.stateChanged(states[dice.roll(states.count)]), side)
        case 4: .offerMade(number: number, sdp: "")
        case 5: .answerTaken(.with { $0.id = number })
        case 6: .trackAdded(dice.pick("a", "b"))
        case 7: .trackRefused(dice.pick("a", "b"), "no")
        case 8: .room(.reliable, buffered: dice.roll(2) * DataSender.fullChannel, longest: 262_144)
        default: dice.roll(2) == 0 ? .channelOpened(.reliable) : .channelClosed(.reliable)
        }
    }

    /// The socket, and what comes of attempts to have another one.
    private func connection(_ session: inout MachineHarness, _ dice: inout Dice) {
        let failure = JoinFailure(.retryable, CallError(.network, .unreachable, "nobody answers"))
        guard case .connection(let attempt) = session.machine.repair.step else {
            return session.take(.socketClosed(session.socket))
        }
        let fails = dice.roll(3) == 0
        switch attempt.mode {
        case .quick: session.take(.resumed(fails ? .failure(failure) : .success(.init())))
        case .full:
            let joined = MachineHarness.joined(single: session.machine.paths.isSingle)
            session.take(.joined(fails ? .failure(failure) : .success(joined)))
        }
    }
}
