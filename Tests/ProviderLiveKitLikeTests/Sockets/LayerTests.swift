import CallBridge
import MediaCore
import Synchronization
import Testing

@testable import ProviderLiveKitLike

/// What is received follows the layout and the wishes; what is sent follows what is received.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LayerTests {
    /// Reads on until a picture of that width comes.
    private final class WidthWatch: VideoSink {
        private let widths: AsyncStream<(width: Int, number: Int)>
        private let width: AsyncStream<(width: Int, number: Int)>.Continuation
        private let count = Mutex((received: 0, forgotten: 0))

        init() { (widths, width) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64)) }

        func receive(_ frame: VideoFrame) {
            let number = count.withLock { count in
                count.received += 1
                return count.received
            }
            width.yield((frame.width, number))
        }

        /// Only pictures count that come from now on.
        func forget() { count.withLock { $0.forgotten = $0.received } }

        func first(_ wanted: Int) async -> Bool {
            for await (width, number) in widths
            where width == wanted && number > count.withLock({ $0.forgotten }) { return true }
            return false
        }
    }

    @Test func theLayoutChoosesTheSize() async throws {
        try await CallHouse.with { house in
            let ada = try await house.join("ada")
            try await ada.publish(.testCard(.hd720, simulcast: true))
            let bob = try await house.join("bob", streaming: StreamingOptions(adaptiveStream: true))
            var events = bob.events.makeAsyncIterator()
            let found = await events.first { event -> (RemoteTrack, Track)? in
                if case .trackSubscribed(let media, let track, _) = event { (media, track) } else { nil }
            }
            let (media, track) = try #require(found)
            let watch = WidthWatch()
            media.attach(watch)
            // Cleo says nothing of what she shows, and goes on with the largest.
            let cleo = try await house.join("cleo")
            var others = cleo.events.makeAsyncIterator()
            let whole = await others.first { event -> RemoteTrack? in
                if case .trackSubscribed(let media, _, _) = event { media } else { nil }
            }
            let control = WidthWatch()
            try #require(whole).attach(control)
            #expect(await control.first(1280))
            try await bob.setVideoLayout(.visible(VideoViewSize(width: 1280, height: 720)), track)
            #expect(await watch.first(1280))
            try await bob.setVideoLayout(.visible(VideoViewSize(width: 300, height: 170)), track)
            #expect(await watch.first(320))
            control.forget()
            #expect(await control.first(1280))
            try await bob.setVideoLayout(.visible(VideoViewSize(width: 600, height: 330)), track)
            #expect(await watch.first(640))
            for call in [ada, bob, cleo] { await call.leave() }
        }
    }

    @Test func withoutTheOptionALayoutIsRefused() async throws {
        try await CallHouse.with { house in
            let ada = try await house.join("ada")
            let error = await #expect(throws: CallError.self) {
                try await ada.setVideoLayout(.hidden, Track(id: "TR_x", kind: .video))
            }
            #expect(error?.fault == .caller)
            #expect(error?.message.contains("StreamingOptions.adaptiveStream") == true)
            await ada.leave()
        }
    }
}
