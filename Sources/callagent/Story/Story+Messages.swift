import ClientCore
import ClientNotifications
import Foundation
import ScenarioCore

/// What is written, pushed and seen.
extension Story {
    func start(_ saw: inout StorySightings) async throws {
        let facts = EventHistory<String>()
        try await launch(facts).setPresence(.viewOpen)
        let (visitor, agent) = (visitor, agent)
        _ = try await patience.wait(.agent, "the client is ready, and available") {
            try await agent.client.start()
            try await agent.client.setAvailable(true)
            try await agent.listen(over: self.line(of: agent), patience: self.patience)
            return true
        }
        _ = try await patience.wait(.visitor, "the client is ready") {
            try await visitor.client.start()
            return true
        }
        _ = try await patience.wait(.visitor, "an agent is there") {
            await visitor.events.until(.conversation(.availability(true)))
        }
        _ = try await patience.wait(.visitor, "the push token is at the service, and its key is here") {
            await facts.until(PushLogFact.secretReceived.rawValue)
        }
        saw.see(.visitor, .ready, .agentAvailable, .pushKey)
        saw.see(.agent, .ready)
        saw[.visitor] = "ready, an agent is there, the device is registered"
        saw[.agent] = "ready and available"
    }

    func message(_ words: StoryWords, _ saw: inout StorySightings) async throws {
        let isFirst = conversation.isEmpty
        if isFirst { try await begin() }
        // Once for all: no conversation goes back into the queue.
        saw.see(.agent, .queue)
        try await write(words.text, from: visitor, .visitor, to: agent, .agent)
        try await write(words.answer, from: agent, .agent, to: visitor, .visitor)
        saw.see(.visitor, .sent, .words, .notShown)
        saw.see(.agent, .sent, .words)
        saw[.visitor] = "wrote, and was answered"
        saw[.agent] = isFirst ? "took the conversation from the queue, read and answered" : "read and answered"
    }

    /// The visitor begins a conversation, and the agent takes it from the queue.
    private func begin() async throws {
        let (visitor, agent) = (visitor, agent)
        let begun = try await patience.wait(.visitor, "the conversation is begun") {
            try await visitor.client.beginConversation(.chat, data: ["story": "\(self.number)"]).id
        }
        conversation = begun
        _ = try await patience.wait(.agent, "the conversation is in the queue") {
            await agent.events.first { event -> Bool? in
                guard case .conversation(.updated(let info)) = event else { return nil }
                return info.conversation.id == begun ? true : nil
            }
        }
        _ = try await patience.wait(.agent, "the agent has come to it") {
            try await agent.client.joinConversation(begun)
            return true
        }
    }

    /// From one to the other: the one hears that the service has it, the other reads it. A visitor's device gets it by push, too,
    /// and shows nothing: they see it already.
    func write(
        _ text: String, from author: StoryPerson, _ side: StorySide, to reader: StoryPerson, _ other: StorySide
    ) async throws {
        let (box, begin) = (world.carrier[pushToken], world.carrier[pushToken].count)
        let message = try await author.client.write(text, in: conversation)
        try await sent(message, by: author, side)
        let found = try await patience.wait(other, "\"\(text)\" has come") {
            await reader.events.first { event -> ConversationMessage? in
                guard case .conversation(.message(let found)) = event else { return nil }
                return found.clientId == message.id ? found : nil
            }
        }
        try expect(
            other, "it is \(author.name)'s and says \"\(text)\"", found.author == author.name && found.text == text)
        guard other == .visitor, let notifications else { return }
        let pushed = try await patience.wait(.carrier, "a notification of it has come") {
            await box.first(from: begin) { $0 }
        }
        let opened = try await patience.wait(.visitor, "the notification is opened") {
            try await notifications.receive(pushed.payload)
        }
        try expect(.visitor, "it is of this message", opened.content.text == text)
        try expect(.visitor, "nothing is shown of what is seen", opened.presentation == .nothing)
    }

    private func sent(_ message: OutgoingMessage, by author: StoryPerson, _ side: StorySide) async throws {
        _ = try await patience.wait(side, "the service has the message") {
            await author.events.first { event -> Bool? in
                guard case .conversation(.messageFate(let told, let fate)) = event, told.id == message.id else {
                    return nil
                }
                if case .sent = fate { return true }
                return nil
            }
        }
    }

    /// The visitor's application is not running; what the agent writes comes by push, and another process opens it.
    func push(_ text: String, _ saw: inout StorySightings) async throws {
        await visitor.stop()
        isDown = true
        try expect(.visitor, "the client has stopped", await visitor.client.phase == .stopped)
        let (box, begin) = (world.carrier[pushToken], world.carrier[pushToken].count)
        let written = try await agent.client.write(text, in: conversation)
        try await sent(written, by: agent, .agent)
        let pushed = try await patience.wait(.carrier, "a notification has come") {
            await box.first(from: begin) { $0 }
        }
        try expect(.carrier, "it can't be read on the way", !pushed.request.contains(text))
        let shown = try await show(pushed.payload, "it is shown")
        try expect(
            .device, "the message is shown, and not \(shown)",
            shown.outcome == "opened" && shown.body == text && shown.title == agent.name && shown.kind == "MESSAGE")
        let again = try await show(pushed.payload, "it comes again")
        try expect(.device, "what comes twice is shown once", again.outcome == "blank" && again.body.isEmpty)
        saw.see(.visitor, .noClient)
        saw.see(.agent, .sent)
        saw.see(.carrier, .sealed)
        saw.see(.device, .shownOnce)
        saw[.visitor] = "not running"
        saw[.agent] = "wrote while nobody listened"
        saw[.carrier] = "\(pushed.request.utf8.count) bytes that it can't read"
        saw[.device] = "\"\(shown.title): \(shown.body.prefix(24))\", once"
    }

    /// What the process beside the application shows. Who waits for a process has not begun to be impatient.
    private func show(_ payload: Data, _ what: String) async throws -> StoryExtension.Shown {
        let (device, preferences, patience) = (world.device, preferences, patience)
        return try await device.gate.pass {
            try await patience.wait(.device, what) { try await device.show(payload, keys: preferences) }
        }
    }

    /// A call in vain while the visitor's device listens to nobody.
    func missedCall(_ saw: inout StorySightings) async throws {
        let (visitor, agent, server) = (visitor, agent, world.server)
        await visitor.stopListening()
        await visitor.client.stop()
        try expect(.visitor, "no client runs", await visitor.client.phase != .ready)
        try await patience.poll(.server, "the visitor's line is gone") { !server.isListening(visitor.device) }
        let (box, begin) = (world.carrier[pushToken], world.carrier[pushToken].count)
        let call = try await place(from: agent, to: visitor)
        let offered = try await patience.wait(.carrier, "the call has come") { await box.first(from: begin) { $0 } }
        await agent.phone?.decline(call)
        let outcome = try await patience.wait(.agent, "the call has an outcome") {
            await agent.outcomes.first { $0.callId == call ? $0.outcome : nil }
        }
        try expect(.agent, "nobody took the call, and not \(outcome)", outcome == .aborted)
        let missed = try await patience.wait(.carrier, "the news of the missed call has come") {
            await box.first(from: begin + 1) { $0 }
        }
        try expect(.carrier, "neither can be read", !(offered.request + missed.request).contains(agent.name))
        let shown = try await show(missed.payload, "it is shown")
        try expect(
            .device, "a missed call is shown, and not \(shown)",
            shown.outcome == "opened" && shown.kind == "MISSED_CALL")
        try await journal(.missedCall, of: call)
        try await journal(.ended, of: call)
        saw.see(.visitor, .noClient)
        saw.see(.agent, .callOver)
        saw.see(.carrier, .sealed)
        saw.see(.device, .missedCall)
        saw.see(.server, .ended)
        saw[.visitor] = "offline"
        saw[.agent] = "gave up"
        saw[.carrier] = "a call and its end, sealed"
        saw[.device] = "missed call of \(shown.title)"
        saw[.server] = "the call rang in vain and is over"
    }

    /// The visitor's client comes back to the conversation.
    func backAgain(_ text: String, _ saw: inout StorySightings) async throws {
        if isDown { try await launch(EventHistory()).setPresence(.viewOpen) }
        let (visitor, conversation) = (visitor, conversation)
        let known = try await patience.wait(.visitor, "the client is ready again") {
            try await visitor.client.start()
            return await visitor.client.conversations.contains { $0.conversation.id == conversation }
        }
        try expect(.visitor, "the conversation is still there", known)
        try await write(text, from: visitor, .visitor, to: agent, .agent)
        saw.see(.visitor, .ready, .sent)
        saw.see(.agent, .words)
        saw[.visitor] = "ready, the conversation goes on"
        saw[.agent] = "reads on"
    }

    func end(_ saw: inout StorySightings) async throws {
        let (visitor, agent, conversation) = (visitor, agent, conversation)
        _ = try await patience.wait(.agent, "the conversation is ended") {
            try await agent.client.endConversation(conversation)
            return true
        }
        for (side, person) in [(StorySide.agent, agent), (.visitor, visitor)] {
            _ = try await patience.wait(side, "the conversation is over") {
                await person.events.first { event -> Bool? in
                    guard case .conversation(.ended(let over)) = event else { return nil }
                    return over.id == conversation ? true : nil
                }
            }
        }
        try expect(.visitor, "no conversation is open", await visitor.client.openConversation == nil)
        await visitor.stop()
        await agent.stop()
        try expect(.visitor, "the client has stopped", await visitor.client.phase == .stopped)
        try expect(.agent, "the client has stopped", await agent.client.phase == .stopped)
        for side in [StorySide.visitor, .agent] { saw.see(side, .conversationOver, .noClient) }
        saw[.visitor] = "the conversation is over, stopped"
        saw[.agent] = "ended it, stopped"
    }
}
