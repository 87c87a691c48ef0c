import MediaCore
import Testing

/// Data channels of two media sessions on real sockets.
@Suite(.timeLimit(.minutes(10))) struct SessionDataTests {
    /// What one session says of its channels, in order; candidates go to the other one.
    private static func events(
        _ session: MediaSession, candidatesTo other: MediaSession
    ) -> AsyncStream<MediaSessionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: MediaSessionEvent.self)
        Task {
            for await event in session.events {
                if case .localCandidate(let candidate) = event {
                    try? await other.addRemoteCandidate(candidate)
                } else {
                    continuation.yield(event)
                }
            }
            continuation.finish()
        }
        return stream
    }

    private static func next<Value>(
        _ events: inout AsyncStream<MediaSessionEvent>.Iterator, _ pick: (MediaSessionEvent) -> Value?
    ) async -> Value? {
        while let event = await events.next() { if let value = pick(event) { return value } }
        return nil
    }

    private static func opened(_ event: MediaSessionEvent) -> DataChannel? {
        if case .dataChannelOpened(let channel) = event { channel } else { nil }
    }

    private static func message(_ event: MediaSessionEvent) -> (DataChannel, [UInt8], Bool)? {
        if case .dataChannelMessage(let channel, let bytes, let isText) = event {
            (channel, bytes, isText)
        } else {
            nil
        }
    }

    @Test func messagesPassBothWays() async throws {
        let engine = MediaEngine()
        let near = try await MediaSession(engine: engine)
        var far = MediaSessionConfiguration()
        far.isAnswerer = true
        let other = try await MediaSession(engine: engine, configuration: far)
        var nearEvents = Self.events(near, candidatesTo: other).makeAsyncIterator()
        var farEvents = Self.events(other, candidatesTo: near).makeAsyncIterator()

        let channel = try await near.openDataChannel(
            DataChannelOptions(label: "one", isOrdered: false, maximumRetransmissions: 3))
        await #expect(throws: SessionError.self) { try await channel.send([1]) }
        let offer = try await near.createOffer()
        #expect(offer.sdp.contains("a=sctp-port:5000\r\n") && offer.sdp.contains("a=max-message-size:262144\r\n"))
        try await near.setAnswer(try await other.createAnswer(to: offer))

        #expect(await Self.next(&nearEvents, Self.opened) == channel)
        let theirs = try #require(await Self.next(&farEvents, Self.opened))
        #expect(theirs.label == "one" && !theirs.isOrdered)
        let large = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await channel.send(large)
        try await theirs.send(Array("hello".utf8), isText: true)
        let first = try #require(await Self.next(&farEvents, Self.message))
        #expect(first.0 == theirs && first.1 == large && !first.2)
        let second = try #require(await Self.next(&nearEvents, Self.message))
        #expect(second.0 == channel && second.1 == Array("hello".utf8) && second.2)

        // The answering side opens one too, and closes it.
        let back = try await other.openDataChannel(DataChannelOptions(label: "two", maximumLifetimeMilliseconds: 900))
        #expect(await Self.next(&farEvents, Self.opened) == back)
        let arrived = try #require(await Self.next(&nearEvents, Self.opened))
        #expect(arrived.label == "two" && arrived.isOrdered)
        #expect(await back.bufferedAmount() == 0)
        await back.close()
        func closed(_ event: MediaSessionEvent) -> DataChannel? {
            if case .dataChannelClosed(let channel) = event { channel } else { nil }
        }
        #expect(await Self.next(&nearEvents, closed) == arrived)
        #expect(await Self.next(&farEvents, closed) == back)
        await #expect(throws: SessionError.self) { try await back.send([1]) }
        await #expect(throws: SessionError.self) {
            try await channel.send([UInt8](repeating: 0, count: 262_145))
        }
        await near.close()
        await other.close()
        await engine.shutdown()
    }

    @Test func contradictingOptionsAreRefused() async throws {
        let engine = MediaEngine()
        let session = try await MediaSession(engine: engine)
        for options in [
            DataChannelOptions(label: "x", maximumRetransmissions: 1, maximumLifetimeMilliseconds: 1),
            DataChannelOptions(label: "x", maximumRetransmissions: -1),
            DataChannelOptions(label: "x", maximumLifetimeMilliseconds: 70_000),
            DataChannelOptions(label: "x", negotiatedID: 1024),
            DataChannelOptions(label: String(repeating: "x", count: 5000)),
        ] {
            await #expect(throws: SessionError.self) { _ = try await session.openDataChannel(options) }
        }
        await session.close()
        await engine.shutdown()
    }
}
