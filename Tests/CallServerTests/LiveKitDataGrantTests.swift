import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

/// Who gets a data packet and who may send one. The channels keep the order, so that whoever has got what was sent last
/// would have got what was sent before.
@Suite(.timeLimit(.minutes(10))) struct LiveKitDataGrantTests {
    private func join(
        _ server: CallServer, _ identity: String, seed: UInt64, grant: (inout VideoGrant) -> Void = { _ in }
    ) async throws -> Caller {
        let caller = try await Caller.join(server, identity, seed: seed, grant: grant)
        try await caller.media.openReliable()
        return caller
    }

    private func send(_ text: String, from caller: Caller, to identities: [String] = []) async throws {
        let packet = Livekit_DataPacket.with {
            $0.kind = .reliable
            $0.destinationIdentities = identities
            $0.user.payload = Data(text.utf8)
        }
        try await caller.media.send(message: packet.wireBytes)
    }

    /// What somebody gets, up to that text.
    private func received(by caller: Caller, upTo last: String) async throws -> [(text: String, from: String)] {
        var texts: [(text: String, from: String)] = []
        for await bytes in caller.media.messages {
            let packet = try Livekit_DataPacket(wireBytes: bytes)
            texts.append((String(decoding: packet.user.payload, as: UTF8.self), packet.participantIdentity))
            if texts.last?.text == last { break }
        }
        return texts
    }

    private func close(_ callers: Caller...) async throws {
        for caller in callers { try await caller.media.close() }
    }

    @Test func onlyThoseNamedGetAPacket() async throws {
        try await withCallServer { server in
            // Who sends comes last: the server knows the others' channels by then.
            let bob = try await join(server, "bob", seed: 502)
            let carol = try await join(server, "carol", seed: 503)
            let alice = try await join(server, "alice", seed: 501)
            try await send("for bob", from: alice, to: ["bob", "nobody"])
            try await send("for carol", from: alice, to: ["carol"])
            try await send("for nobody", from: alice, to: ["nobody"])
            try await send("for all", from: alice)
            #expect(try await received(by: bob, upTo: "for all").map(\.text) == ["for bob", "for all"])
            #expect(try await received(by: carol, upTo: "for all").map(\.text) == ["for carol", "for all"])
            try await close(alice, bob, carol)
        }
    }

    @Test func whoeverMayNotSendDataIsNotHeard() async throws {
        let log = LogBook(.debug)
        try await withCallServer({ $0.logger = log.logger }) { server in
            let alice = try await join(server, "alice", seed: 504) { $0.canPublishData = false }
            let bob = try await join(server, "bob", seed: 505)
            try await send("not allowed", from: alice)
            await log.until("may not publish data")
            let body =
                #"{"room":"r","identity":"alice","permission":{"can_publish_data":true,"can_subscribe":true}}"#
            #expect(try await RoomAPI.admin(server).call("UpdateParticipant", body).status == 200)
            try await send("allowed", from: alice)
            #expect(try await received(by: bob, upTo: "allowed").map(\.text) == ["allowed"])
            try await close(alice, bob)
        }
    }

    @Test func theHiddenSendWithoutAName() async throws {
        try await withCallServer { server in
            let alice = try await join(server, "alice", seed: 507)
            let bob = try await join(server, "bob", seed: 508)
            let ghost = try await join(server, "ghost", seed: 506) { $0.hidden = true }
            try await send("boo", from: ghost)
            let heard = try await received(by: bob, upTo: "boo")
            try await send("hello", from: alice)
            let named = try await received(by: bob, upTo: "hello")
            #expect(heard.map(\.from) == [""] && named.map(\.from) == ["alice"])
            // And gets what others send.
            #expect(try await received(by: ghost, upTo: "hello").map(\.from) == ["alice"])
            try await close(ghost, alice, bob)
        }
    }
}
