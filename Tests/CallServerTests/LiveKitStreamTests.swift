import LiveKitProtocol
import Testing

@testable import CallServer

/// Which stream of the subscriber's a track is in.
@Suite(.timeLimit(.minutes(10))) struct LiveKitStreamTests {
    /// The msid lines of a description.
    private func streams(_ sdp: String) -> [String] {
        sdp.split(separator: "\r\n").filter { $0.hasPrefix("a=msid:") }.map { String($0.dropFirst("a=msid:".count)) }
    }

    @Test(arguments: [
        (false, "", nil as String?), (true, "", "camera"), (true, "of my own", nil), (true, "screen", "screen"),
    ])
    func aRoomMayHaveItsStreamsPlayedInStep(syncs: Bool, stream: String, shared: String?) async throws {
        try await withCallServer { server in
            _ = try await RoomAPI.admin(server).call("CreateRoom", #"{"name":"r","sync_streams":\#(syncs)}"#)
            let alice = try await Caller.join(server, "alice", seed: 91)
            let bob = try await Caller.join(server, "bob", seed: 92)
            let sid = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 1000) { $0.stream = stream }
            let answer = try await bob.followRequirement()
            let publisher = alice.join.participant.sid
            #expect(streams(answer.sdp) == ["\(publisher)|\(shared ?? sid) \(sid)"])
            for caller in [alice, bob] { try await caller.media.close() }
        }
    }
}
