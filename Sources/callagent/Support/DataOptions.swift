import ArgumentParser
import CallBridge

/// What `join` sends beside its media.
struct DataOptions: ParsableArguments {
    @Option(name: .long, parsing: .unconditional, help: "Send TEXT#0, TEXT#1, ... as data messages to everybody.")
    var data: String?

    @Option(name: .long, parsing: .unconditional, help: "The data messages' topic.")
    var dataTopic = ""

    @Flag(name: .long, help: "Send the data messages so that some may be lost.")
    var dataLossy = false

    @Option(name: .long, parsing: .unconditional, help: "How many data messages to send; 0 for no end.")
    var dataCount = 0

    @Option(name: .long, parsing: .unconditional, help: "Seconds between two data messages.")
    var dataInterval = 0.5

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Send a text stream to everybody.", valueName: "topic=text"))
    var text: [String] = []

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Call the method echo of a participant.", valueName: "identity=payload"))
    var rpc: [String] = []

    @Option(name: .long, parsing: .unconditional, help: "Seconds to wait before anything of this is sent.")
    var dataDelay = 1.0

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send nothing of this before that participant is there (30 s at most).", valueName: "identity"))
    var dataWait: [String] = []

    func validate() throws {
        guard dataCount >= 0 else { throw ValidationError("--data-count \(dataCount): use 0 or more.") }
        guard (0.001...3600).contains(dataInterval) else {
            throw ValidationError("--data-interval \(dataInterval): use 0.001 to 3600 seconds.")
        }
        guard (0...3600).contains(dataDelay) else {
            throw ValidationError("--data-delay \(dataDelay): use 0 to 3600 seconds.")
        }
        for (name, values) in [("--text", text), ("--rpc", rpc)] {
            for value in values where !value.contains("=") {
                throw ValidationError("\(name) \(value): put = between the two parts.")
            }
        }
    }

    /// Sends all of it; returns when that is done, or the task is cancelled.
    func send(in call: Call, telling participant: AgentParticipant) async throws {
        guard data != nil || !text.isEmpty || !rpc.isEmpty else { return }
        for identity in dataWait { await Self.arrival(of: identity, in: call) }
        try await Task.sleep(for: .seconds(dataDelay))
        for item in text {
            let (topic, content) = Self.parts(item)
            try await call.sendText(content, topic: topic)
        }
        for item in rpc {
            let (identity, payload) = Self.parts(item)
            await Self.arrival(of: identity, in: call)
            do {
                let answer = try await call.performRPC(to: identity, method: "echo", payload: payload)
                await participant.noteRPC(identity, answer)
            } catch let error as RPCError {
                await participant.noteRPC(identity, error.description)
            }
        }
        guard let data else { return }
        var sent = 0
        while dataCount == 0 || sent < dataCount {
            try await call.send(data: Array("\(data)#\(sent)".utf8), topic: dataTopic, reliable: !dataLossy)
            sent += 1
            await participant.noteDataSent()
            try await Task.sleep(for: .seconds(dataInterval))
        }
    }

    /// Returns when the participant is there, or after 30 s: what is then sent to it says that it isn't.
    private static func arrival(of identity: String, in call: Call) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await case .participantJoined(let participant) in call.events where participant.identity == identity
                { return }
            }
            group.addTask { try? await Task.sleep(for: .seconds(30)) }
            await group.next()
            group.cancelAll()
        }
    }

    private static func parts(_ text: String) -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }
}
