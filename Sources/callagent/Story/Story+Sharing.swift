import ClientCore
import CoBrowsing
import CoBrowsingModel
import Foundation
import ScenarioCore
import ServiceDesk

/// What is shared beside words and calls: files, the screen; and the chat with the service desk.
extension Story {
    func files(_ files: StoryFiles, _ saw: inout StorySightings) async throws {
        let form = try await carry(
            Self.picture(files.upload), "form.png", "image/png", from: visitor, .visitor, to: agent, .agent)
        let terms = try await carry(
            Self.text(files.download, number), "terms.txt", "text/plain", from: agent, .agent, to: visitor, .visitor)
        for side in [StorySide.visitor, .agent] { saw.see(side, .file) }
        saw[.visitor] = "sent form.png, has terms.txt, \(terms) bytes"
        saw[.agent] = "sent terms.txt, has form.png, \(form) bytes"
    }

    /// From one to the other, byte by byte the same.
    private func carry(
        _ bytes: [UInt8], _ name: String, _ type: String, from sender: StoryPerson, _ side: StorySide,
        to receiver: StoryPerson, _ other: StorySide
    ) async throws -> Int {
        let conversation = conversation
        let path = try world.folder(sender.name + "-files") + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let sent = try await patience.wait(side, "\(name) is sent") {
            try await sender.client.uploadFile(at: path, type: type, in: conversation)
        }
        let heard = try await patience.wait(other, "\(name) is offered") {
            await receiver.events.first { event -> ConversationFile? in
                guard case .conversation(.file(let file)) = event else { return nil }
                return file.id == sent.id ? file : nil
            }
        }
        let folder = try world.folder(receiver.name + "-downloads")
        let place = try await patience.wait(other, "\(name) is fetched") {
            try await receiver.client.downloadFile(heard.id, to: FolderDownload(folder: folder))
        }
        let arrived = FileManager.default.contents(atPath: place).map(Array.init)
        try expect(other, "\(name) has the bytes that were sent", arrived == bytes)
        return bytes.count
    }

    /// What begins as a PNG, so that its type holds.
    private static func picture(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        while bytes.count < count { bytes.append(UInt8(truncatingIfNeeded: bytes.count &* 31)) }
        return bytes
    }

    private static func text(_ count: Int, _ number: Int) -> [UInt8] {
        let line = Array("Terms and conditions of story \(number).\n".utf8)
        return (0..<count).map { line[$0 % line.count] }
    }

    /// The visitor shares; the agent sees all but the masked area, sees what changes, and points.
    func coBrowsing(_ saw: inout StorySightings) async throws {
        let (visitor, agent, conversation, screen) = (visitor, agent, conversation, screen)
        let shared = try await patience.wait(.visitor, "the screen is shared") {
            try await visitor.client.startCoBrowsing(in: conversation) as? SharedScreen
        }
        let watched = try await patience.wait(.agent, "the screen is watched") {
            try await agent.client.watchCoBrowsing(in: conversation) as? WatchedScreen
        }
        try await patience.poll(.agent, "a picture has come") { await watched.picture != nil }
        let cover: [UInt8] = [0x60, 0x60, 0x60]
        try await Self.looks(watched, covered: cover, self)
        screen.type()
        try await patience.poll(.agent, "what the visitor types is seen") {
            await watched.picture?.rgb(StoryScreen.insideField) == [10, 20, 250]
        }
        try await Self.looks(watched, covered: cover, self)
        let pointer = CoBrowsingPointer(x: 40, y: 40, kind: .mark)
        await watched.point(pointer)
        let name = agent.name
        _ = try await patience.wait(.visitor, "the agent's pointer is seen") {
            for await event in shared.events where event == .pointer(pointer, from: name) { return true }
            return nil
        }
        let sent = await shared.statistics
        await shared.stop(.stopped)
        let end = try await patience.wait(.visitor, "sharing has ended") { await shared.end() }
        try expect(.visitor, "it was stopped, and not \(end.rawValue)", end == .stopped)
        await watched.stop()
        saw.see(.visitor, .pointer)
        saw.see(.agent, .screen, .typed, .covered)
        saw[.visitor] = "shared \(sent.frames) frames in \(sent.bytes) bytes, saw the agent's pointer"
        saw[.agent] = "saw the form and what was typed; the card number is covered"
    }

    /// Nothing of the private area is in the picture.
    private static func looks(_ watched: WatchedScreen, covered: [UInt8], _ story: Story) async throws {
        let seen = await watched.picture?.rgb(story.screen.secret) ?? []
        let isCovered =
            !seen.isEmpty && stride(from: 0, to: seen.count, by: 3).allSatisfy { Array(seen[$0..<$0 + 3]) == covered }
        guard isCovered else { throw StoryFailure(.agent, "the private area is covered") }
    }

    /// The other way to ask: a chat whose answers come late.
    func chat(_ words: StoryWords, _ saw: inout StorySightings) async throws {
        let (server, device) = (world.desk, visitor.name)
        let desk = try ServiceDesk(
            server: await server.url, appID: "story", store: DeskLocalStore(deviceID: device))
        let events = EventHistory<DeskEvent>()
        let stream = await desk.events()
        Task { for await event in stream { events.note(event) } }
        await desk.subscribeToReplies()
        _ = try await patience.wait(.visitor, "the desk has the question") { try await desk.send(words.text) }
        let letters = world.letters[device]
        let letter = try await patience.wait(.server, "the question has come") { await letters.first { $0 } }
        try expect(.server, "it says what was asked", letter.comment.body == words.text)
        _ = try await patience.wait(.server, "the support answers") {
            try await server.reply(ticket: letter.ticketID, words.answer)
        }
        let reply = try await patience.wait(.visitor, "the answer has come") {
            await events.first { event -> DeskReply? in
                guard case .reply(let reply) = event, reply.hasUnreadComments else { return nil }
                return reply
            }
        }
        try expect(.visitor, "it says what was answered", reply.lastCommentText == words.answer)
        await desk.stop()
        saw.see(.visitor, .answer)
        saw.see(.server, .question)
        saw[.visitor] = "asked, and was told \"\(words.answer)\""
        saw[.server] = "ticket \(letter.ticketID): asked and answered"
    }
}
