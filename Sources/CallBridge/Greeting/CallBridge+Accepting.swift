import Logging
public import MediaCore

/// A call that was accepted, and what its one listener hears.
public struct AcceptedCall: Sendable {
    /// The call.
    public let call: Call
    /// What is heard: the greeting, then the call. Close it when the call is over.
    public let output: CallAudioOutput
}

extension CallBridge {
    /// Joins a call that a person has just accepted: they hear the greeting from now until the call itself is heard.
    ///
    /// - Parameters:
    ///   - conversation: the conversation's id.
    ///   - identity: who we are; nil leaves it to the server's configuration.
    ///   - greeting: what to say; nil takes what the descriptor says, if anything.
    ///   - sinks: where the sound goes: a file, a meter, a sound system.
    /// - Throws: `CallError`. A greeting that can't be made is logged and left out; it doesn't keep the call from coming.
    public func accept(
        conversation: String, as identity: String? = nil, greeting: VoiceGreeting? = nil, sinks: [any AudioSink]
    ) async throws -> AcceptedCall {
        let output = makeOutput(sinks: sinks)
        do {
            if let greeting { await greet(greeting, output) }
            let descriptor = try await descriptor(conversation: conversation, identity: identity)
            if greeting == nil, let configured = descriptor.greeting { await greet(configured, output) }
            let call = try await join(descriptor, as: identity)
            call.play(to: output)
            return AcceptedCall(call: call, output: output)
        } catch {
            output.close()
            throw error
        }
    }

    /// An output on this bridge's threads, for calls that are joined by other ways than `accept`.
    public func makeOutput(sinks: [any AudioSink]) -> CallAudioOutput { CallAudioOutput(engine: engine, sinks: sinks) }

    /// Synthesises on a thread of its own, so that nothing else waits.
    private func greet(_ greeting: VoiceGreeting, _ output: CallAudioOutput) async {
        let samples = await Task.detached { Result { () throws(CallError) in try greeting.samples() } }.value
        switch samples {
        case .success(let samples): output.greet(samples: samples, pauseMilliseconds: greeting.pauseMilliseconds)
        case .failure(let error): logger.warning("no greeting", metadata: ["reason": "\(error)"])
        }
    }
}
