import CallModel
import Foundation
import ServiceDesk

/// One chat from its beginning to its end: what is typed, what the service says and the time meet in one stream.
struct ChatRun {
    private enum Input: Sendable {
        case line(String)
        case endOfInput
        case event(DeskEvent)
        case timeout
        case interrupted
    }

    let desk: ServiceDesk
    let command: ChatCommand

    private var isScripted: Bool { !command.say.isEmpty || !command.attach.isEmpty || command.wait != nil }
    private var isText: Bool { !command.output.json }

    func run(_ files: [DeskFile]) async throws -> ChatReport {
        var report = ChatReport(server: command.target.server)
        let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
        let events = await desk.events()
        var sources = [Task { for await event in events { continuation.yield(.event(event)) } }]
        sources.append(
            Task {
                await Interruption.wait()
                continuation.yield(.interrupted)
            })
        defer { for source in sources { source.cancel() } }
        if let token = command.pushToken { try await desk.setPushToken(token) }
        try await sendScript(files, &report)
        if isScripted, command.wait == nil { return report }
        if command.replies { await desk.subscribeToReplies() } else { await desk.open() }
        if let wait = command.wait {
            sources.append(
                Task {
                    guard (try? await Task.sleep(for: .seconds(wait))) != nil else { return }
                    continuation.yield(.timeout)
                })
        } else {
            welcome()
            sources.append(
                Task {
                    for await line in InputLines.read() { continuation.yield(.line(line)) }
                    continuation.yield(.endOfInput)
                })
        }
        for await input in inputs {
            switch input {
            case .line(let line): if try await !take(line, &report) { return report }
            case .event(let event):
                try await take(event, &report)
                if command.wait != nil, report.answers > 0 { return report }
            case .interrupted:
                report.interrupted = Interruption.cause?.rawValue
                return report
            case .timeout, .endOfInput: return report
            }
        }
        return report
    }

    private func welcome() {
        guard isText else { return }
        StandardError.line("\(desk.configuration.chatTitle); /attach FILE, /refresh, /quit")
        if let text = desk.configuration.welcomeMessage { StandardOutput.line(text.printable(limit: 32_768)) }
    }

    private func sendScript(_ files: [DeskFile], _ report: inout ChatReport) async throws {
        guard !command.say.isEmpty || !files.isEmpty else { return }
        for (index, text) in (command.say.isEmpty ? [""] : command.say).enumerated() {
            let comment = try await desk.send(
                text, files: index == 0 ? files : [], newTicket: command.newTicket && index == 0)
            report.sent.append(comment)
            if isText { StandardOutput.line(ChatText.line(comment)) }
        }
    }

    /// False where the chat is to end.
    private func take(_ line: String, _ report: inout ChatReport) async throws -> Bool {
        let text = line.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { return true }
        do {
            switch text {
            case "/quit": return false
            case "/refresh": try await desk.refresh()
            case _ where text.hasPrefix("/attach "):
                let path = String(text.dropFirst("/attach ".count)).trimmingCharacters(in: .whitespaces)
                let file = try DeskFile(name: path, bytes: try DeskFile.bytes(of: path))
                report.sent.append(try await desk.send("", files: [file]))
            default: report.sent.append(try await desk.send(text))
            }
        } catch {
            guard error.code != .authorizationFailed else { throw error }
            // The text is on the screen: whoever typed it may try again.
            StandardError.line("callagent: \(error)")
        }
        return true
    }

    private func take(_ event: DeskEvent, _ report: inout ChatReport) async throws {
        switch event {
        case .comments(let comments):
            let last = report.sent.last?.id ?? 0
            for comment in comments {
                report.received.append(comment)
                if !comment.isInbound, comment.id > last { report.answers += 1 }
                if isText { StandardOutput.line(ChatText.line(comment)) }
                if !comment.isInbound { try await save(comment, &report) }
            }
        case .reply(let reply):
            report.replies.append(reply)
            if reply.hasUnreadComments { report.answers += 1 }
            if isText { StandardOutput.line(ChatText.line(reply)) }
        case .authorizationFailed:
            throw DeskError(
                .authorizationFailed, "the service does not let this user in; check --app, --user and the key")
        case .unreachable(let reason): StandardError.line("callagent: \(reason); trying again")
        case .reachable: StandardError.line("callagent: the service answers again")
        }
    }

    /// Files of the support: never over one that is there.
    private func save(_ comment: DeskComment, _ report: inout ChatReport) async throws {
        guard let folder = command.save else { return }
        for attachment in comment.attachments {
            let bytes = try await desk.download(attachment)
            let path = folder + "/\(attachment.id)-" + DeskFileName.fit(attachment.name)
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                throw ExitStatus.Failure(
                    status: .environment, message: "\(path) can't be written: \(String(cString: strerror(errno)))")
            }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            do { try handle.write(contentsOf: Data(bytes)) } catch {
                throw ExitStatus.Failure(
                    status: .environment, message: "\(path) can't be written: \(FileFault.words(error))")
            }
            report.saved.append(path)
            if isText { StandardError.line("callagent: saved \(path)") }
        }
    }
}
