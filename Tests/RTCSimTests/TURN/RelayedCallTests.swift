import RTCCore
import RTCWire
import Testing

@testable import RTCSim

/// Calls through a simulated TURN server, in virtual time.
@Suite struct RelayedCallTests {
    @Test func mediaGoesThroughAChannel() throws {
        let call = try RelayedCall()
        call.connect()
        try #require(call.runUntilConnected())
        let types = call.alice.peer.selectedTypes
        #expect(types?.local == .relay && types?.remote == .host)
        // The other side sees the relay and nothing of alice.
        #expect(call.bob.peer.selectedPair?.remote == call.server.allocations.first?.address)
        call.talk(every: .milliseconds(20), for: .seconds(10))
        #expect(call.heard.count == 501)
        #expect(call.alice.messages.count == 501)
        let counted = call.alice.client.statistics
        #expect(counted.sentByChannel >= 501)
        #expect(counted.dropped == 0)
        #expect(call.server.counts.relayedByChannel >= 1002)
        #expect(call.server.counts.channelBinds == 1 && call.server.counts.allocations == 1)
    }

    @Test(arguments: 1...8) func lossOnlyDelays(seed: Int) throws {
        let call = try RelayedCall(
            .init(delay: .milliseconds(30), jitter: .milliseconds(10), loss: 0.2), seed: UInt64(seed))
        call.connect()
        #expect(call.runUntilConnected())
        #expect(call.server.counts.allocations == 1, "a repeated request is one allocation")
    }

    /// An hour: allocation, permission and channel are renewed, nonces grow old every minute.
    @Test func anHourIsHeldOpen() throws {
        let call = try RelayedCall()
        call.server.nonceLifetime = .seconds(61)
        call.connect()
        try #require(call.runUntilConnected())
        call.talk(every: .seconds(1), for: .seconds(3600))
        #expect(call.heard.count == 3601)
        #expect(call.alice.client.state == .allocated)
        #expect(call.server.counts.allocations == 1)
        #expect((6...8).contains(call.server.counts.refreshes))
        #expect((14...17).contains(call.server.counts.permissions))
        #expect((6...9).contains(call.server.counts.channelBinds))
        #expect(call.server.counts.staleNonces > 10)
        #expect(call.alice.states.filter { $0 == .disconnected }.isEmpty)
    }

    /// The same without renewals would end: the server forgets what is not renewed.
    @Test func whatIsNotSentToRunsOut() throws {
        let call = try RelayedCall()
        call.connect()
        try #require(call.runUntilConnected())
        let stranger = TransportAddress(ipv4: 0x0a00_0099, port: 9)
        call.driveAlice { _, client, now, outbox in
            [UInt8](repeating: 1, count: 40).withUnsafeBytes { outbox.append($0, to: stranger, path: 1) }
        }
        call.talk(every: .seconds(1), for: .seconds(1500))
        let allocation = try #require(call.server.allocations.first)
        let now = call.simulation.now
        #expect((allocation.permissions[stranger.ipv4] ?? .zero) < now)
        #expect((allocation.permissions[call.bob.address.ipv4] ?? .zero) > now)
        // Sent to again, it gets both again.
        call.driveAlice { _, client, now, outbox in
            [UInt8](repeating: 1, count: 40).withUnsafeBytes { outbox.append($0, to: stranger, path: 1) }
        }
        call.simulation.run(for: .seconds(2))
        #expect((allocation.permissions[stranger.ipv4] ?? .zero) > call.simulation.now)
    }

    @Test func withoutChannelsIndicationsCarryEverything() throws {
        let call = try RelayedCall()
        call.server.refusesChannels = true
        call.connect()
        try #require(call.runUntilConnected())
        call.talk(every: .milliseconds(20), for: .seconds(2))
        #expect(call.heard.count == 101 && call.alice.messages.count == 101)
        #expect(call.alice.client.statistics.sentByChannel == 0)
        #expect(call.server.counts.relayedByIndication >= 202)
    }

    @Test func aWrongPasswordEndsAtOnce() throws {
        let call = try RelayedCall(password: "wrong")
        call.connect()
        call.simulation.run(for: .seconds(1))
        #expect(call.alice.client.state == .failed(.unauthorized))
        #expect(call.server.counts.unauthorized == 1)
        #expect(call.alice.client.nextDeadline == nil)
    }

    @Test func aSilentServerIsGivenUp() throws {
        let call = try RelayedCall(NetworkConditions(delay: .zero, loss: 1))
        call.connect()
        call.simulation.run(for: .seconds(35))
        #expect(call.alice.client.state == .allocating)
        call.simulation.run(for: .seconds(10))
        #expect(call.alice.client.state == .failed(.noAnswer))
        #expect(call.alice.client.statistics.retransmissions == 6)
    }

    /// Its silence is asked after within a second, and it says that it has forgotten everything.
    @Test(arguments: [20, 250]) func aRestartedServerIsNoticed(milliseconds: Int) throws {
        let call = try RelayedCall()
        call.connect()
        try #require(call.runUntilConnected())
        call.server.restart()
        call.talk(every: .milliseconds(milliseconds), for: .milliseconds(1100))
        #expect(call.alice.client.state == .failed(.lost))
        #expect(call.server.counts.mismatches == 1)
    }

    /// A server that is gone for five minutes and knows the allocation still: it goes on.
    @Test func aSilentServerIsGivenTime() throws {
        let call = try RelayedCall()
        call.connect()
        try #require(call.runUntilConnected())
        let allocation = try #require(call.server.allocations.first)
        call.simulation.remove(call.server)
        call.simulation.remove(allocation)
        let heard = call.heard.count
        call.talk(every: .milliseconds(20), for: .milliseconds(600))
        #expect(call.alice.client.isSilent && call.alice.client.state == .allocated)
        #expect(call.heard.count == heard)
        call.talk(every: .seconds(1), for: .seconds(300))
        #expect(call.alice.client.isSilent && call.alice.client.state == .allocated)
        call.simulation.add(call.server)
        call.simulation.add(allocation)
        call.simulation.run(for: .seconds(3))
        #expect(!call.alice.client.isSilent && call.alice.client.state == .allocated)
        #expect(call.server.counts.allocations == 1 && call.server.counts.mismatches == 0)
    }

    /// Media that goes both ways is no silence, however seldom it comes: nobody is asked.
    @Test func aQuietCallIsNoSilence() throws {
        let call = try RelayedCall()
        call.connect()
        try #require(call.runUntilConnected())
        call.talk(every: .seconds(3), for: .seconds(300))
        #expect(call.server.counts.refreshes == 0 && !call.alice.client.isSilent)
    }

    @Test func aForbiddenPeerCostsNothingElse() throws {
        let call = try RelayedCall()
        call.server.forbidden = [call.bob.address]
        call.connect()
        #expect(!call.runUntilConnected(limit: .seconds(20)))
        #expect(call.alice.client.state == .allocated)
        #expect(call.server.counts.permissions == 1)
        #expect(call.alice.client.statistics.dropped > 0)
    }
}
