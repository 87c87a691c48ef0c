import CallServer
import MediaCore
import ProviderLiveKitLike
import Synchronization
import Testing

@testable import CallBridge

/// What the one who accepts a call hears, through the embedded server.
@Suite(.timeLimit(.minutes(10))) struct AcceptedCallTests {
    /// Keeps what is played, and lets a test wait for a length of it.
    private final class Recorder: AudioSink {
        private struct State {
            var samples: [Int16] = []
            var waiting: [(count: Int, resume: CheckedContinuation<Void, Never>)] = []
        }

        private let state = Mutex(State())
        var samples: [Int16] { state.withLock { $0.samples } }

        func receive(_ frame: AudioFrame) {
            let due = state.withLock { state in
                state.samples += frame.samples
                let count = state.samples.count
                let due = state.waiting.filter { $0.count <= count }
                state.waiting.removeAll { $0.count <= count }
                return due
            }
            for waiter in due { waiter.resume.resume() }
        }

        func wait(seconds: Double) async {
            let count = Int(seconds * 48_000)
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.samples.count >= count { return true }
                    state.waiting.append((count, continuation))
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }

    /// A server that takes as long to answer as the listener takes to hear three seconds.
    private struct SlowSource: CallDescriptorSource {
        let source: any CallDescriptorSource
        let recorder: Recorder

        func descriptor(_ request: DescriptorRequest) async throws -> CallDescriptor {
            await recorder.wait(seconds: 3)
            return try await source.descriptor(request)
        }
    }

    @Test("The greeting is heard from acceptance until the call is, and never with it")
    func greeting() async throws {
        let secret = "a-secret-of-thirty-two-characters"
        var configuration = CallServerConfiguration(keys: ["key": secret])
        configuration.port = 0
        configuration.timing.request = 600_000
        let server = CallServer(configuration: configuration)
        try await server.start()
        let source = ServerDescriptorSource(
            server: "http://127.0.0.1:\(server.port)", credentials: .apiKey("key", secret: secret))
        let bridge = CallBridge(configuration: .init(descriptors: source, providers: [.liveKitLike]))
        let ada = try await bridge.join(conversation: "support", as: "ada")
        try await ada.publish(.testTone(1_000))

        let recorder = Recorder()
        let slow = CallBridge(
            configuration: .init(
                descriptors: SlowSource(source: source, recorder: recorder), providers: [.liveKitLike]))
        let greeting = VoiceGreeting(text: "Thank you for calling. Please wait while we connect you.")
        let accepted = try await slow.accept(
            conversation: "support", as: "bob", greeting: greeting, sinks: [recorder])
        let synthesised = try greeting.samples()
        while accepted.output.gapMilliseconds == nil {
            await recorder.wait(seconds: Double(recorder.samples.count) / 48_000 + 0.1)
        }
        let end = Double(recorder.samples.count) / 48_000 + 0.5
        await recorder.wait(seconds: end)
        let heard = recorder.samples

        let begin = try #require(heard.firstIndex { abs(Int32($0)) > 64 })
        #expect(begin < 48_000 * 2, "speech begins at once: synthesis takes a fraction of a second")
        let start = try #require(synthesised.firstIndex { abs(Int32($0)) > 64 })
        let spoken = heard[(begin - start)...].prefix(min(synthesised.count, 2 * 48_000))
        #expect(Array(spoken) == Array(synthesised.prefix(spoken.count)), "it is the text, sample for sample")
        #expect(accepted.output.greeting.playedMilliseconds >= 1_000)
        #expect(try #require(accepted.output.gapMilliseconds) <= 40)
        #expect(accepted.output.overlapMilliseconds == 0)
        let meter = AudioMeter()
        meter.receive(AudioFrame(samples: Array(heard.suffix(19_200))))
        #expect(abs((meter.measurement.dominantHz ?? 0) - 1_000) < 10, "what follows is the call alone")

        accepted.output.close()
        await accepted.call.leave()
        await ada.leave()
        await slow.shutdown()
        await bridge.shutdown()
        await server.stop()
    }

    @Test("A call that can't be joined ends the greeting, and the output")
    func failure() async throws {
        struct Nowhere: CallDescriptorSource {
            func descriptor(_ request: DescriptorRequest) async throws -> CallDescriptor {
                throw CallError(.network, .unreachable, "nobody is there")
            }
        }
        let recorder = Recorder()
        let bridge = CallBridge(configuration: .init(descriptors: Nowhere(), providers: [.liveKitLike]))
        await #expect(throws: CallError.self) {
            try await bridge.accept(
                conversation: "support", greeting: VoiceGreeting(text: "Please wait."), sinks: [recorder])
        }
        await bridge.shutdown()
    }
}
