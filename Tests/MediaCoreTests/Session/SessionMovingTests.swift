import RTCTransport
import RTCWire
import Testing

@testable import MediaCore

/// An interface goes away under a session: 127.0.0.1 for the one, 127.0.0.3 for what is left.
@Suite(.timeLimit(.minutes(10))) struct SessionMovingTests {
    private static let first = TransportAddress(ipv4: 0x7f00_0001, port: 0)
    private static let second = TransportAddress(ipv4: 0x7f00_0003, port: 0)

    /// Two sessions on engines of their own. The one that moves offers and sends, and controls ICE, or else it answers,
    /// receives and is controlled.
    private struct Pair {
        let mover = MediaEngine()
        let other = MediaEngine()
        let moving: MediaSession
        let staying: MediaSession
        let sender: MediaSession
        let receiver: MediaSession

        init(offers: Bool) async throws {
            var (near, far) = (MediaSessionConfiguration(), MediaSessionConfiguration())
            (near.isAnswerer, far.isAnswerer) = (!offers, offers)
            moving = try await MediaSession(engine: mover, configuration: near)
            staying = try await MediaSession(engine: other, configuration: far)
            (sender, receiver) = offers ? (moving, staying) : (staying, moving)
        }

        func connect() async throws {
            _ = try await sender.addTrack(LocalTrack(.audio(ToneSource(frequency: 440), .init()), id: "tone"))
            try await sender.setAnswer(receiver.createAnswer(to: sender.createOffer()))
        }

        func close() async {
            await moving.close()
            await staying.close()
            await mover.shutdown()
            await other.shutdown()
        }
    }

    private static func received(_ session: MediaSession) async -> Int {
        await session.statistics().receivers.reduce(0) { $0 + $1.packetsReceived }
    }

    /// Waits until a session has so many packets more.
    private static func hears(_ session: MediaSession, _ count: Int) async {
        let before = await received(session)
        while await received(session) < before + count { await Task.yield() }
    }

    /// Hands candidates over, and gives what was lost.
    private static func carry(_ session: MediaSession, to other: MediaSession) async throws -> [String] {
        var lost: [String] = []
        for await event in session.events {
            switch event {
            case .localCandidate(let candidate): try await other.addRemoteCandidate(candidate)
            case .localAddressLost(let address): lost.append(address)
            default: break
            }
        }
        return lost
    }

    @Test(arguments: [true, false]) func mediaGoesOnFromAnotherAddress(offers: Bool) async throws {
        let pair = try await Pair(offers: offers)
        async let lost = Self.carry(pair.moving, to: pair.staying)
        async let stayed = Self.carry(pair.staying, to: pair.moving)
        try await pair.connect()
        await Self.hears(pair.receiver, 20)
        pair.mover.addresses.changed(InterfaceAddresses([Self.second]))
        // It is 20 ms of sound each: by then nothing comes from the old address any more.
        await Self.hears(pair.receiver, 40)
        #expect(try await pair.moving.onLoop { $0.mux.localAddress.host } == "127.0.0.3")
        #expect(try await pair.moving.onLoop { $0.machine.peer.selectedPair?.local.host } == "127.0.0.3")
        let remote = try await pair.staying.onLoop { $0.machine.peer.selectedPair?.remote.host }
        #expect(remote == "127.0.0.3")
        await pair.close()
        #expect(try await lost == ["127.0.0.1"])
        #expect(try await stayed == [])
    }

    /// Without another address nothing is done; when one comes, media goes on there.
    @Test func itWaitsForAnAddress() async throws {
        let pair = try await Pair(offers: true)
        async let lost = Self.carry(pair.moving, to: pair.staying)
        async let stayed = Self.carry(pair.staying, to: pair.moving)
        try await pair.connect()
        await Self.hears(pair.receiver, 20)
        let port = try await pair.moving.onLoop { $0.mux.localAddress }
        pair.mover.addresses.changed(InterfaceAddresses([]))
        #expect(try await pair.moving.onLoop { $0.mux.localAddress } == port)
        pair.mover.addresses.changed(InterfaceAddresses([Self.second]))
        await Self.hears(pair.receiver, 20)
        #expect(try await pair.moving.onLoop { $0.mux.localAddress.host } == "127.0.0.3")
        await pair.close()
        #expect(try await lost == ["127.0.0.1"])
        _ = try await stayed
    }

    @Test func anAddressThatWasGivenIsNotLeft() async throws {
        let engine = MediaEngine()
        var configuration = MediaSessionConfiguration()
        configuration.bindAddress = "127.0.0.1"
        let session = try await MediaSession(engine: engine, configuration: configuration)
        engine.addresses.changed(InterfaceAddresses([Self.second]))
        #expect(try await session.onLoop { $0.mux.localAddress.host } == "127.0.0.1")
        await session.close()
        await engine.shutdown()
    }
}
