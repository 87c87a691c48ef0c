import Foundation
import LiveKitProtocol
import RTCWire
import Testing

@testable import CallServer

@Suite struct RoomDataTests {
    private let everybody = DataDestinations(identities: [], sids: [])

    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test func repeatedNumbersAreDroppedPerSender() {
        var data = RoomData()
        let admitted = [1, 2, 2, 1, 3, 0, 0].map { data.admit($0, from: "PA_a") }
        #expect(admitted == [true, true, false, false, true, true, true], "no number, no order")
        let other = data.admit(1, from: "PA_b")
        #expect(other)
        #expect(data.lastSequence(of: "PA_a") == 3)
    }

    @Test func theCacheKeepsTwoSecondsAndAHundredKilobytes() {
        var cache = DataReplayCache()
        for number in UInt32(1)...10 {
            cache.keep(
                [UInt8](repeating: 0, count: 1_000), from: "PA_a", sequence: number, to: everybody,
                now: at(Int(number) * 300))
        }
        func sequences(_ publisher: String, after: UInt32) -> [UInt32] {
            cache.packets(from: publisher, after: after, now: at(3_000)).map(\.sequence)
        }
        #expect(sequences("PA_a", after: 0) == [4, 5, 6, 7, 8, 9, 10])
        #expect(sequences("PA_a", after: 8) == [9, 10])
        #expect(sequences("PA_b", after: 0).isEmpty)
        for number in UInt32(11)...30 {
            cache.keep(
                [UInt8](repeating: 0, count: 10_000), from: "PA_a", sequence: number, to: everybody,
                now: at(3_000))
        }
        #expect(cache.byteCount <= 100_000)
        #expect(sequences("PA_a", after: 0) == Array(21...30))
    }

    @Test func theFirstMissedPacketOfEachSenderIsRemembered() {
        var data = RoomData()
        for number in UInt32(4)...6 { data.noteMissed(number, from: "PA_a", by: "PA_c") }
        data.noteMissed(9, from: "PA_b", by: "PA_c")
        let missed = [data.takeMissed(by: "PA_c"), data.takeMissed(by: "PA_c")]
        #expect(missed == [["PA_a": 4, "PA_b": 9], [:]])
    }

    @Test func theServerSaysWhoSends() throws {
        let forged = Livekit_DataPacket.with {
            $0.participantIdentity = "mallory"
            $0.participantSid = "PA_forged"
            $0.kind = .reliable
            $0.user.participantIdentity = "mallory"
            $0.user.participantSid = "PA_forged"
            $0.user.payload = Data([1, 2])
            $0.user.destinationIdentities = ["bob"]
        }
        let stamped = try #require(DataPacketOrigin(sid: "PA_a", identity: "ada").stamp(forged, kind: .lossy))
        #expect(stamped.participantIdentity == "ada" && stamped.participantSid == "PA_a" && stamped.kind == .lossy)
        #expect(stamped.user.participantIdentity == "ada" && stamped.user.participantSid == "PA_a")
        #expect(stamped.destinationIdentities == ["bob"])
        #expect(stamped.destinations.include(identity: "bob", sid: "PA_b"))
        #expect(!stamped.destinations.include(identity: "carl", sid: "PA_c"))
        let hidden = try #require(
            DataPacketOrigin(sid: "PA_a", identity: "ada", isHidden: true).stamp(forged, kind: .reliable))
        #expect(hidden.participantIdentity.isEmpty && hidden.user.participantIdentity.isEmpty)
        #expect(hidden.user.participantSid.isEmpty)
    }

    @Test func onlyAgentsSpeakForOthers() {
        let chat = Livekit_DataPacket.with {
            $0.participantIdentity = "bob"
            $0.chatMessage.message = "hello"
        }
        let plain = DataPacketOrigin(sid: "PA_a", identity: "ada")
        #expect(plain.stamp(chat, kind: .reliable)?.participantIdentity == "ada")
        let agent = DataPacketOrigin(sid: "PA_a", identity: "ada", isAgent: true)
        #expect(agent.stamp(chat, kind: .reliable)?.participantIdentity == "bob")
        #expect(
            plain.stamp(.with { $0.speaker = .init() }, kind: .reliable) == nil, "who speaks is the server's to say")
    }

    @Test func whatAgentsSayForOthersIsMarked() throws {
        let agent = DataPacketOrigin(sid: "PA_a", identity: "agent", isAgent: true)
        let plain = DataPacketOrigin(sid: "PA_b", identity: "bob")
        let chat = Livekit_DataPacket.with {
            $0.participantIdentity = "bob"
            $0.chatMessage.message = "hello"
        }
        #expect(try #require(agent.stamp(chat, kind: .reliable)).chatMessage.generated)
        #expect(try #require(plain.stamp(chat, kind: .reliable)).chatMessage.generated == false)
        let text = Livekit_DataPacket.with {
            $0.participantIdentity = "bob"
            $0.streamHeader.textHeader = .init()
        }
        let written = try #require(agent.stamp(text, kind: .reliable))
        #expect(written.streamHeader.textHeader.generated && written.participantIdentity == "bob")
        let bytes = Livekit_DataPacket.with {
            $0.participantIdentity = "bob"
            $0.streamHeader.byteHeader = .init()
        }
        #expect(try #require(agent.stamp(bytes, kind: .reliable)).participantIdentity == "agent")
        let transcription = Livekit_DataPacket.with { $0.transcription.trackID = "TR_x" }
        #expect(agent.stamp(transcription, kind: .reliable) != nil)
        #expect(plain.stamp(transcription, kind: .reliable) == nil, "only agents write down what is said")
    }

    @Test func noncesAreRememberedForAWhile() {
        var nonces = RecentNonces()
        func nonce(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 16) }
        let early = [nonce(0), nonce(0), [], [], [1]].map { nonces.isKnown($0) }
        #expect(early == [false, true, false, false, false])
        let later = (UInt8(1)...100).map { nonces.isKnown(nonce($0)) }
        #expect(later.allSatisfy { !$0 })
        let end = [nonces.isKnown(nonce(100)), nonces.isKnown(nonce(0))]
        #expect(end == [true, false], "a hundred are kept")
    }
}
