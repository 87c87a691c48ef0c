import ClientModel
import ClientStorage
import Foundation
import Synchronization
import Testing

@testable import ClientCore

/// Preferences in memory, whose disk a test fills.
private final class MemoryStore: PreferenceStore {
    private let state = Mutex<(values: [String: [UInt8]], isFull: Bool)>(([:], false))

    init(_ values: [String: [UInt8]] = [:]) { state.withLock { $0.values = values } }

    func fill(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    func value(_ name: String) throws -> [UInt8]? { state.withLock { $0.values[name] } }

    func update<Result>(_ name: String, _ change: (inout [UInt8]?) throws -> Result) throws -> Result {
        var value = try self.value(name)
        let result = try change(&value)
        guard !state.withLock({ $0.isFull }) else { throw PreferenceFault(.noSpace, "the disk is full; make room") }
        state.withLock { $0.values[name] = value }
        return result
    }
}

@Suite(.timeLimit(.minutes(10))) struct KeptOutboxTests {
    private func client(_ service: ScriptedService, _ store: MemoryStore) throws -> CallClient {
        try .scripted(service) { $1.outbox = KeptOutbox(in: store) }
    }

    @Test func whatWaitsIsSentByTheNextClient() async throws {
        let service = ScriptedService()
        let store = MemoryStore()
        let first = try client(service, store)
        try await first.start()
        let conversation = try await first.beginConversation(.chat)
        service.change { $0.answersRequests = false }
        for text in ["one", "two", "three"] { try await first.write(text, in: conversation.id) }
        let waiting = await first.waitingMessages
        // The process ends here: a second client knows only what was kept.
        let second = try client(service, store)
        #expect(await second.waitingMessages == waiting && waiting.count == 3)
        service.change { $0.answersRequests = true }
        let events = second.events
        try await second.start()
        var sent = 0
        for await event in events {
            if case .conversation(.messageFate(_, .sent)) = event { sent += 1 }
            if sent == 3 { break }
        }
        #expect(service.texts(conversation.id) == ["one", "two", "three"])
        #expect(try store.value("outbox") == nil, "nothing waits any more")
        await second.stop()
        await first.stop()
    }

    @Test func aFullDiskRefusesTheMessage() async throws {
        let service = ScriptedService()
        let store = MemoryStore()
        let client = try client(service, store)
        try await client.start()
        let conversation = try await client.beginConversation(.chat)
        store.fill(true)
        let error = await #expect(throws: ClientError.self) { try await client.write("one", in: conversation.id) }
        #expect(error?.code == .fileFailed && error?.message.contains("make room") == true)
        #expect(await client.waitingMessages.isEmpty && service.texts(conversation.id).isEmpty)
        await client.stop()
    }

    @Test func aRefusedMessageIsNotKept() async throws {
        let service = ScriptedService()
        let store = MemoryStore()
        let client = try client(service, store)
        try await client.start()
        await #expect(throws: ClientError.self) { try await client.write("one", in: "nowhere") }
        #expect(try store.value("outbox") == nil)
        await client.stop()
    }

    @Test func whatIsNoOutboxMakesNoClient() throws {
        let service = ScriptedService()
        for (bytes, word) in [("no JSON", "it is no JSON"), (#"[{"id":"1"}]"#, "missing"), ("[1]", "another type")] {
            let store = MemoryStore(["outbox": Array(bytes.utf8)])
            let error = #expect(throws: ClientError.self) { try client(service, store) }
            #expect(error?.code == .fileFailed && error?.message.contains(word) == true, "\(error as Any)")
        }
    }
}
