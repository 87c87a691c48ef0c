import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore
import Testing

@testable import ProviderLiveKitLike

/// Packets and remote procedure calls, in virtual time.
@Suite struct MachineDataTests {
    private func session(single: Bool = true) -> MachineHarness {
        var session = MachineHarness(single: single) { $0.otherParticipants = [MachineSubscribingTests.ada] }
        if !single { session.stateChanged(.connected, .subscriber) }
        session.answerOffer()
        _ = session.takeLines()
        return session
    }

    private func packet(_ text: String, lossy: Bool = false) -> Livekit_DataPacket {
        .with {
            $0.kind = lossy ? .lossy : .reliable
            $0.user.payload = Data(text.utf8)
        }
    }

    /// What was put into the channels, decoded.
    private func put(_ session: MachineHarness) throws -> [Livekit_DataPacket] {
        try session.actions.compactMap { if case .put(let bytes, _) = $0 { bytes } else { nil } }
            .map { try Livekit_DataPacket(wireBytes: $0) }
    }

    @Test func packetsAreNumberedInTheirOrder() throws {
        var session = session()
        for text in ["a", "b"] { session.ask(.sendData(packet(text))) }
        session.ask(.sendData(packet("c", lossy: true)))
        let sent = try put(session)
        #expect(sent.map { String(decoding: $0.user.payload, as: UTF8.self) } == ["a", "b", "c"])
        #expect(sent.map(\.sequence) == [1, 2, 0], "lossy packets have no number")
        #expect(Set(sent.map(\.participantIdentity)) == ["me"])
        #expect(session.answers.count == 3)
    }

    /// A full channel is waited for, and looked at again every 20 ms.
    @Test func aFullChannelIsWaitedFor() throws {
        var session = session()
        session.buffered = DataSender.fullChannel
        let id = session.ask(.sendData(packet("a")))
        session.pass(seconds: 0.1)
        #expect(try put(session).isEmpty && session.answers[id] == nil)
        #expect(session.takeLines() == Array(repeating: "media askRoom", count: 6))
        session.buffered = 0
        session.pass(seconds: 0.02)
        #expect(try put(session).count == 1 && session.answers[id] != nil)
    }

    /// With two connections the one that we send on is offered for the first packet.
    @Test func dataOffersTheConnectionThatItNeeds() throws {
        var session = MachineHarness(single: false)
        session.stateChanged(.connected, .subscriber)
        session.media(.channelClosed(.reliable))
        _ = session.takeLines()
        let id = session.ask(.sendData(packet("a")))
        #expect(session.takeLines() == ["media createOffer 1", "send offer"])
        session.answerOffer()
        session.media(.channelOpened(.reliable))
        #expect(try put(session).count == 1 && session.answers[id] != nil)
    }

    @Test func aChannelThatStaysClosedFailsThePacket() {
        var session = session()
        session.media(.channelClosed(.reliable))
        let id = session.ask(.sendData(packet("a")))
        session.pass(seconds: 10)
        session.say { $0.pongResp = .init() }
        session.pass(seconds: 5)
        let error = #expect(throws: CallError.self) { try session.answers[id]?.get() }
        #expect(error?.message.contains("has not opened the data channel") == true)
    }

    @Test func whatIsTooLongIsRefusedAtOnce() {
        var session = session()
        let id = session.ask(.sendData(packet(String(repeating: "x", count: 64_000))))
        let error = #expect(throws: CallError.self) { try session.answers[id]?.get() }
        #expect(error?.message.contains("64000") == true)
    }

    /// After a resume the server is sent what it has not got, before anything else.
    @Test func aResumeRepeatsWhatWasLost() throws {
        var session = session()
        for text in ["a", "b", "c"] { session.ask(.sendData(packet(text))) }
        session.take(.socketClosed(session.socket))
        let late = session.ask(.sendData(packet("d")))
        #expect(session.answers[late] == nil)
        session.take(.resumed(.success(.with { $0.lastMessageSeq = 1 })))
        session.answerOffer()
        #expect(try put(session).map(\.sequence) == [1, 2, 3, 2, 3, 4])
        #expect(session.answers[late] != nil)
    }

    @Test func whatIsReceivedIsToldOnce() throws {
        var session = session()
        var incoming = packet("hello")
        (incoming.sequence, incoming.participantSid, incoming.participantIdentity) = (7, "PA_ada", "ada")
        for _ in 0..<2 { session.media(.received(incoming.wireBytes, .reliable)) }
        session.media(.received([0xFF], .reliable))
        #expect(session.takeLines() == ["report dataReceived"])
        session.take(.socketClosed(session.socket))
        session.take(.resumed(.success(.init())))
        let state = try #require(session.sent("syncState").last).syncState
        #expect(state.datachannelReceiveStates.map(\.lastSeq) == [7])
    }

    // MARK: Remote procedure calls

    private func call(_ id: String, timeout: Double = 10) -> SignallingCommand {
        .callRemote(RemoteCall(id: id, to: "ada", method: "m", payload: "p", timeout: timeout))
    }

    private func answer(_ id: String, _ text: String, by identity: String = "ada") -> MediaInput {
        var packet = Livekit_DataPacket.answer(id, to: "me", .success(text))
        packet.participantIdentity = identity
        return .received(packet.wireBytes, .reliable)
    }

    @Test func aCallIsAnsweredByTheOneWhoWasCalled() throws {
        var session = session()
        let id = session.ask(call("r"))
        let request = try #require(try put(session).last).rpcRequest
        #expect(request.method == "m" && request.responseTimeoutMs == 10_000 && request.version == 1)
        session.media(answer("r", "forged", by: "mallory"))
        #expect(session.answers[id] == nil)
        session.media(answer("r", "yes"))
        guard case .answered("yes") = try session.answers[id]?.get() else { return #expect(Bool(false)) }
    }

    @Test func callsAreGivenUpInTheirTime() {
        var session = session()
        let (silent, slow, gone) = (session.ask(call("a")), session.ask(call("b")), session.ask(call("c", timeout: 60)))
        for id in ["b", "c"] {
            var packet = Livekit_DataPacket.acknowledgement(of: id, to: "me")
            packet.participantIdentity = "ada"
            session.media(.received(packet.wireBytes, .reliable))
        }
        session.pass(seconds: 7)
        #expect(throws: RPCError.connectionTimeout) { try session.answers[silent]?.get() }
        #expect(session.answers[slow] == nil)
        session.say { $0.pongResp = .init() }
        session.pass(seconds: 3)
        #expect(throws: RPCError.responseTimeout) { try session.answers[slow]?.get() }
        var left = MachineSubscribingTests.ada
        (left.state, left.version) = (.disconnected, 2)
        session.say { $0.update.participants = [left] }
        #expect(throws: RPCError.recipientDisconnected) { try session.answers[gone]?.get() }
        let nobody = session.ask(call("d"))
        #expect(throws: RPCError.recipientNotFound) { try session.answers[nobody]?.get() }
    }

    @Test(arguments: [(0, 0.001), (-1, 0.001), (.nan, 0.001), (2, 2), (.infinity, 86_400)])
    func timeoutsAreKeptWithinBounds(wanted: Double, timeout: Double) {
        #expect(RemoteCall(id: "r", to: "ada", method: "m", payload: "", timeout: wanted).timeout == timeout)
    }

    @Test func weAcknowledgeAndTell() throws {
        var session = session()
        for version: UInt32 in [1, 9] {
            let request = Livekit_DataPacket.with {
                $0.participantIdentity = "ada"
                $0.rpcRequest = .with { ($0.id, $0.method, $0.version) = ("r\(version)", "m", version) }
            }
            session.media(.received(request.wireBytes, .reliable))
        }
        #expect(session.takeLines().filter { $0.hasPrefix("report") } == ["report rpcInvoked"])
        let sent = try put(session)
        #expect(sent.map(\.rpcAck.requestID) == ["r1", "r9", ""])
        #expect(sent.last?.rpcResponse.error.code == 1404, "a version that we don't know")
    }
}
