import ClientModel
public import ConversationModel
import Foundation

/// How far a file is.
public struct FileProgress: Sendable, Hashable {
    /// Bytes that are there.
    public var bytes: Int64
    /// Bytes of the whole.
    public var total: Int64
}

extension CallClient {
    /// Bytes of a piece: of what is sent or fetched at a time.
    private static let piece = 256 * 1024
    /// Attempts without a byte of progress.
    private static let patience = 6

    /// The files of a conversation, and which ones the service takes: what an application offers to choose from. Throws `ClientError`.
    public func files(in conversation: String) async throws -> ConversationFiles {
        let answer = try await ask(
            "list the files", ServiceRequest(method: .get, path: "/\(conversation.inPath)/files"))
        return try read(ConversationFiles.self, answer)
    }

    /// Sends a file to a conversation, and returns when the service has it whole. A connection that breaks is waited for, and the
    /// upload goes on where it was. The same `id` goes on with an upload of an earlier process.
    ///
    /// Throws `ClientError`: `fileRefused` where our policy or the service's does not take it, before a byte is sent;
    /// `fileQuarantined` where its content is not what its type says; `fileFailed`, `unreachable`, `requestRefused`.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - name: for people; nil takes the path's last part. Either is sanitised.
    ///   - type: its media type.
    ///   - id: names the upload; 1 to 64 letters of ASCII, digits, `-` and `_`.
    ///   - progress: told after each piece.
    @discardableResult public func uploadFile(
        at path: String, name: String? = nil, type: String, in conversation: String,
        id: String = UUID().uuidString.lowercased(), progress: @Sendable (FileProgress) -> Void = { _ in }
    ) async throws -> ConversationFile {
        try requireReady("send a file")
        let source = try FileSource(path)
        let name = FileName.sanitised(name ?? path)
        do { try environment.files.check(type: type, size: source.size) } catch {
            throw ClientError(.fileRefused, "\(name) is not sent: \(error)")
        }
        let (digest, head) = try await Task.detached { try source.digest() }.value
        do { try environment.files.check(type: type, head: head) } catch {
            throw ClientError(.fileQuarantined, "\(name) is not sent: \(error)")
        }
        let request = FileRequest(clientId: id, name: name, type: type, size: source.size, sha256: digest)
        let purpose = "send \(name)"
        let announcement = ServiceRequest(
            method: .post, path: "/\(conversation.inPath)/files", body: Self.json(request))
        var file = try read(ConversationFile.self, try await persist(announcement, purpose))
        progress(FileProgress(bytes: file.received, total: file.size))
        while file.state == .uploading {
            try Task.checkCancellation()
            file = try await sendPiece(of: source, path, file, purpose)
            progress(FileProgress(bytes: file.received, total: file.size))
        }
        guard file.state == .ready else {
            throw ClientError(.fileQuarantined, "\(name) was kept back by the service: its content is no \(type)")
        }
        return file
    }

    /// Fetches a file, and gives where its handler has put it. A connection that breaks is waited for; what was interrupted, by a
    /// kill too, goes on with the same handler's folder.
    ///
    /// Throws `ClientError`: `fileRefused`, `fileQuarantined`, `fileFailed`, `unreachable`, `requestRefused`; and what the handler
    /// throws.
    ///
    /// - Parameters:
    ///   - id: the file's.
    ///   - handler: takes it; `FolderDownload(folder:policy:)` puts it into a folder.
    ///   - progress: told after each piece.
    @discardableResult public func downloadFile(
        _ id: String, to handler: any FileDownloadHandler, progress: @Sendable (FileProgress) -> Void = { _ in }
    ) async throws -> String {
        try requireReady("fetch a file")
        let file = try await fileInfo(id, "fetch a file")
        switch file.state {
        case .ready: break
        case .uploading:
            throw ClientError(.requestRefused, "\(file.name) is not whole yet at the service; fetch it later")
        case .quarantined:
            throw ClientError(
                .fileQuarantined, "\(file.name) was kept back by the service: its content is no \(file.type)")
        }
        var received = try await handler.begin(file)
        do {
            progress(FileProgress(bytes: received, total: file.size))
            while received < file.size {
                let (offset, count) = (received, min(Int64(Self.piece), file.size - received))
                try Task.checkCancellation()
                let range = "bytes=\(offset)-\(offset + count - 1)"
                let request = ServiceRequest(
                    part: .files, method: .get, path: "/\(file.id.inPath)/content", fields: ["Range": range])
                let bytes = try await persist(request, "fetch \(file.name)")
                guard Int64(bytes.count) == count else {
                    throw ClientError(.fileFailed, "the service gives other parts of \(file.name) than were asked for")
                }
                try await handler.write(bytes)
                received += count
                progress(FileProgress(bytes: received, total: file.size))
            }
            return try await handler.finish()
        } catch {
            await handler.interrupted()
            throw error
        }
    }

    /// Sends the next piece of a file. After an attempt that nobody answered the service is asked how far it is: the piece may
    /// have arrived.
    private func sendPiece(
        of source: FileSource, _ path: String, _ file: ConversationFile, _ purpose: String
    ) async throws -> ConversationFile {
        var (offset, attempt) = (file.received, 0)
        while true {
            let bytes = try source.read(at: offset, count: Self.piece)
            guard !bytes.isEmpty || offset == file.size else { throw Self.changed(path) }
            let request = ServiceRequest(
                part: .files, method: .put, path: "/\(file.id.inPath)/content", body: bytes,
                fields: ["Upload-Offset": "\(offset)"])
            let answer: Result<[UInt8], ServiceFault>
            do throws(ServiceFault) { answer = .success(try await send(request)) } catch { answer = .failure(error) }
            attempt += 1
            switch answer {
            case .success(let bytes): return try read(ConversationFile.self, bytes)
            // The piece before is still being written, or what came is not what was announced.
            case .failure(.refused(status: 409, _)) where attempt < Self.patience:
                try await pause(.unanswered("the service has another piece"), attempt, purpose)
            case .failure(let fault): try await pause(fault, attempt, purpose)
            }
            let known = try await fileInfo(file.id, purpose)
            guard known.state == .uploading else { return known }
            guard known.received >= file.received else { throw Self.changed(path) }
            offset = known.received
        }
    }

    private static func changed(_ path: String) -> ClientError {
        ClientError(.fileFailed, "\(path) has changed while it was sent; send it again")
    }

    private func fileInfo(_ id: String, _ purpose: String) async throws -> ConversationFile {
        let request = ServiceRequest(part: .files, method: .get, path: "/\(id.inPath)")
        return try read(ConversationFile.self, try await persist(request, purpose))
    }

    /// Asks again and again, while nobody answers.
    private func persist(_ request: ServiceRequest, _ purpose: String) async throws -> [UInt8] {
        var attempt = 0
        while true {
            let fault: ServiceFault
            do throws(ServiceFault) { return try await send(request) } catch { fault = error }
            attempt += 1
            try await pause(fault, attempt, purpose)
        }
    }

    /// Waits before another attempt, longer each time; throws where there is no use in one. The token source gives another token
    /// meanwhile, where that was why.
    private func pause(_ fault: ServiceFault, _ attempt: Int, _ purpose: String) async throws {
        switch fault {
        case .refused(let status, let words) where status == 413 || status == 415:
            throw ClientError(.fileRefused, "can't \(purpose): the service does not take it: \(words)")
        case .refused(let status, let words):
            throw ClientError(.requestRefused, "can't \(purpose): HTTP \(status): \(words)")
        case .unauthorized where attempt >= Self.patience:
            throw ClientError(.authorization, "can't \(purpose): the token was refused; set another one")
        case .unanswered(let words) where attempt >= Self.patience || phase != .ready:
            throw ClientError(.unreachable, "can't \(purpose): \(words); try again")
        case .unauthorized, .unanswered:
            try await environment.clock.wait(seconds: min(0.25 * Double(1 << attempt), 7))
        }
    }
}
