import CallModel
import ClientCore
import Foundation
import MediaCore
import ScenarioCore

/// The calls: rung, answered, joined, dropped.
extension Story {
    /// The agent calls; the visitor's application is started for it by the notification, and no client runs.
    func ring(_ provider: ScenarioProvider, _ saw: inout StorySightings) async throws {
        let notifications = try await launch(EventHistory())
        let person = visitor
        self.provider = provider
        for side in [person, agent] { side.descriptors.move(to: StoryWorld.area(provider)) }
        let line = await notifications.ring(over: line(of: person))
        let locked = AnswerGate(isLocked: true, isActive: false, isAuthenticated: false)
        try await person.listen(over: line, gate: locked, patience: patience)
        let (box, begin) = (world.carrier[pushToken], world.carrier[pushToken].count)
        let call = try await place(from: agent, to: person)
        self.call = call
        let pushed = try await patience.wait(.carrier, "the call has come") { await box.first(from: begin) { $0 } }
        try expect(.carrier, "it can't be read on the way", !pushed.request.contains(agent.name))
        let opened = try await patience.wait(.visitor, "the notification is opened") {
            try await notifications.receive(pushed.payload)
        }
        try expect(.visitor, "it tells of the call", opened.content.callId == call && opened.presentation == .notify)
        let caller = agent.name
        _ = try await patience.wait(.visitor, "the call rings") {
            await person.presenter.shown.until(.present(call, caller: caller))
        }
        try expect(.visitor, "no client runs yet", await person.client.phase == .idle)
        try await journal(.incomingCall, of: call)
        saw.see(.visitor, .rings, .noClient)
        saw.see(.carrier, .sealed)
        saw.see(.server, .incomingCall)
        saw[.visitor] = "rings before any client was started"
        saw[.agent] = "calls \(person.name)"
        saw[.carrier] = "\(pushed.request.utf8.count) bytes that it can't read"
        saw[.server] = "the device that sleeps is rung"
    }

    /// A device's line to the exchange.
    func line(of person: StoryPerson) -> ServerRingTransport {
        ServerRingTransport(server: world.address, credentials: world.credentials, device: person.device)
    }

    /// Places a call and gives its id.
    func place(from caller: StoryPerson, to callee: StoryPerson) async throws -> String {
        let side: StorySide = caller.role == .visitor ? .visitor : .agent
        guard let phone = caller.phone else { throw StoryFailure(side, "the phone listens") }
        return await phone.place(
            RingRequest(
                conversationId: conversation, callType: .video, callerName: caller.name, groups: [[callee.name]]))
    }

    /// Answered on the lock screen: the greeting is heard, the agent is in the call, and no client starts.
    func lockedAnswer(_ text: String, _ saw: inout StorySightings) async throws {
        let (visitor, agent, call) = (visitor, agent, call)
        let greeting = VoiceGreeting(text: text)
        let samples = try await Task.detached { try greeting.samples() }.value
        visitor.output.greet(samples: samples)
        await visitor.phone?.answer(call)
        let missing = AnswerGate(isLocked: true, isActive: false, isAuthenticated: false).missing
        _ = try await patience.wait(.visitor, "the answer waits for the device to be unlocked") {
            await visitor.presenter.shown.until(.waiting(call, missing: missing))
        }
        let outcome = try await patience.wait(.agent, "the agent's client is in the call") {
            await agent.outcomes.first { $0.callId == call ? $0.outcome : nil }
        }
        try expect(.agent, "the call is connected, and not \(outcome)", outcome == .connected)
        try expect(.visitor, "no client runs on a locked device", await visitor.client.phase == .idle)
        let present = await agent.calls.all.last?.call.participants.count
        try expect(.agent, "nobody else is in the call yet", present == 1)
        saw.see(.visitor, .waits, .noClient)
        saw.see(.agent, .connected, .alone)
        saw[.visitor] = "answered, waiting: \(missing)"
        saw[.agent] = "answered, alone in the call"
    }

    /// Unlocked is not enough; who has authenticated gets in.
    func authentication(_ saw: inout StorySightings) async throws {
        let (visitor, call) = (visitor, call)
        await visitor.phone?.deviceChanged(AnswerGate(isAuthenticated: false))
        // A round trip of the agent's later the visitor's client would have begun.
        let conversation = conversation
        _ = try await patience.wait(.agent, "the messages are read") { [agent] in
            try await agent.client.messages(in: conversation)
        }
        let waiting = await agent.calls.all.last?.call.participants.count
        try expect(.agent, "nobody has come before their authentication", waiting == 1)
        try expect(.visitor, "no client runs before its user has authenticated", await visitor.client.phase == .idle)
        await notifications?.setPresence(.viewOpen)
        await visitor.phone?.deviceChanged(AnswerGate())
        let outcome = try await patience.wait(.visitor, "the client is in the call") {
            await visitor.outcomes.first { $0.callId == call ? $0.outcome : nil }
        }
        try expect(.visitor, "the call is connected, and not \(outcome)", outcome == .connected)
        try expect(.visitor, "the client is ready", await visitor.client.phase == .ready)
        let (agent, name) = (agent, visitor.name)
        _ = try await patience.wait(.agent, "\(name) is in the call") {
            await agent.calls.all.last?.events.first { event -> Bool? in
                guard case .participantJoined(let participant) = event else { return nil }
                return participant.identity == name ? true : nil
            }
        }
        saw.see(.visitor, .connected, .ready)
        saw.see(.agent, .alone, .other)
        saw[.visitor] = "unlocked: still waiting; authenticated: started and connected"
        saw[.agent] = "\(name) has come"
    }

    /// Both see and hear one another.
    func talk(_ pictures: Int, _ saw: inout StorySightings) async throws {
        for (side, person, other) in [(StorySide.visitor, visitor, agent), (.agent, agent, visitor)] {
            guard let call = person.calls.all.last else { throw StoryFailure(side, "there is a call") }
            try await patience.poll(side, "\(other.name) is seen and heard; \(call.arrived)") {
                call.isSeen(pictures) && call.isHeard(other.hertz)
            }
            let named = call.call.descriptor.provider
            saw.providers[side] = named == .openTok ? .opentok : named == .liveKit ? .livekit : nil
            let planned: ProviderKind = provider == .opentok ? .openTok : .liveKit
            try expect(side, "the call goes by \(provider.rawValue), and not \(named)", named == planned)
            saw.see(side, .pictures, .tone)
            saw[side] = "by \(named.rawValue), \(call.arrived)"
        }
        try await journal(.established, of: call)
        saw.see(.server, .established)
        saw[.server] = "established"
    }

    /// Heard from the answer to the call's first sound, and never together with it.
    func greeting(_ saw: inout StorySightings) async throws {
        let output = visitor.output
        try await patience.poll(.visitor, "the greeting has given way to the call") { output.gapMilliseconds != nil }
        let (played, gap, overlap) = (
            output.greeting.spokenMilliseconds, output.gapMilliseconds ?? 0, output.overlapMilliseconds
        )
        try expect(.visitor, "the greeting was heard", played > 0)
        try expect(.visitor, "greeting and call are not heard together, and not for \(overlap) ms", overlap <= 20)
        (saw.greeting, saw.overlap) = (played, overlap)
        saw.see(.visitor, .greeting)
        saw[.visitor] = "\(Int(played)) ms of greeting, a gap of \(Int(gap)) ms, then the call"
        guard let theirs = agent.calls.all.last else { throw StoryFailure(.agent, "there is a call") }
        try expect(.agent, "the greeting is the visitor's alone; \(theirs.arrived)", theirs.isHeard(visitor.hertz))
        saw.see(.agent, .tone, .noGreeting)
        saw[.agent] = "heard \(visitor.name)'s tone, and no greeting"
    }

    func indicator(_ saw: inout StorySightings) async throws {
        for (side, person, other) in [(StorySide.visitor, visitor, agent), (.agent, agent, visitor)] {
            guard let call = person.calls.all.last else { throw StoryFailure(side, "there is a call") }
            let shown = try await patience.wait(side, "the indicator shows a picture") {
                await call.looks.first { look -> String? in
                    guard look.isVisible, case .video(let participant, _) = look.content else { return nil }
                    return participant
                }
            }
            let name = await call.call.participants.first { $0.id == shown }?.identity
            try expect(side, "it is \(other.name)'s picture, and not \(name ?? "nobody")'s", name == other.name)
            saw.see(side, .indicator)
            saw[side] = "the indicator shows \(other.name)"
        }
    }

    /// The indicator is dropped on the area that removes it: the call ends, the conversation lives.
    func drop(_ words: StoryWords, _ saw: inout StorySightings) async throws {
        guard let side = visitor.calls.all.last else { throw StoryFailure(.visitor, "there is a call") }
        try expect(.visitor, "dropping the indicator ends the call", side.dropIndicator())
        try await leave(visitor, .visitor, call)
        try await goes(agent, .agent, after: visitor.name, call)
        try await write(words.text, from: agent, .agent, to: visitor, .visitor)
        try await write(words.answer, from: visitor, .visitor, to: agent, .agent)
        saw.see(.visitor, .callOver, .sent, .words)
        saw.see(.agent, .alone, .callOver, .sent, .words)
        saw.see(.server, .ended)
        saw[.visitor] = "dropped the indicator: the call is over, messages go on"
        saw[.agent] = "alone in the call, left it; messages go on"
        saw[.server] = "the call has ended"
    }

    /// One side leaves.
    private func leave(_ person: StoryPerson, _ side: StorySide, _ call: String) async throws {
        let (place, conversation) = (person.events.count, conversation)
        await person.client.endCall(conversation)
        await person.phone?.hangUp(call)
        _ = try await patience.wait(side, "the call is over") {
            await person.events.until(.callEnded(conversation: conversation), from: place)
        }
    }

    /// The other side sees that they are alone, and leaves too; the server knows the call's end.
    private func goes(_ person: StoryPerson, _ side: StorySide, after other: String, _ call: String) async throws {
        guard let theirs = person.calls.all.last else { throw StoryFailure(side, "there is a call") }
        _ = try await patience.wait(side, "\(other) has left the call") { await theirs.isAlone(without: other) }
        if await theirs.call.state != .ended { try await leave(person, side, call) }
        try await journal(.ended, of: call)
    }

    /// The visitor calls, and the agent's device answers by itself.
    func callBack(_ provider: ScenarioProvider, _ saw: inout StorySightings) async throws {
        let (visitor, agent) = (visitor, agent)
        self.provider = provider
        for side in [visitor, agent] { side.descriptors.move(to: StoryWorld.area(provider)) }
        if visitor.phone == nil { try await visitor.listen(over: line(of: visitor), patience: patience) }
        let call = try await place(from: visitor, to: agent)
        _ = try await patience.wait(.agent, "the call rings") {
            await agent.presenter.shown.until(.present(call, caller: visitor.name))
        }
        saw.see(.agent, .rings)
        for (side, person) in [(StorySide.agent, agent), (.visitor, visitor)] {
            let outcome = try await patience.wait(side, "the call has an outcome") {
                await person.outcomes.first { $0.callId == call ? $0.outcome : nil }
            }
            try expect(side, "the call is connected, and not \(outcome)", outcome == .connected)
            saw.see(side, .connected)
        }
        self.call = call
        saw[.visitor] = "called \(agent.name), connected"
        saw[.agent] = "was rung, connected"
    }

    func hangUp(_ saw: inout StorySightings) async throws {
        try await leave(agent, .agent, call)
        try await goes(visitor, .visitor, after: agent.name, call)
        saw.see(.visitor, .alone, .callOver)
        saw.see(.agent, .callOver)
        saw.see(.server, .ended)
        saw[.visitor] = "alone in the call, left it"
        saw[.agent] = "hung up"
        saw[.server] = "the call has ended"
    }

    /// The server's journal says that of a call.
    func journal(_ event: JournalEventType, of call: String) async throws {
        let history = world.journal[conversation]
        _ = try await patience.wait(.server, "the journal has \(event.rawValue) of \(call)") {
            await history.first { $0.eventType == event && $0.callId == call ? true : nil }
        }
    }
}
