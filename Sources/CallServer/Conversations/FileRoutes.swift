import ConversationModel
import ConversationService
import Foundation
import NIOHTTP1

/// Contents of files over HTTP, below `/callbridge/v1/files`: docs/openapi/conversations.yaml.
///
/// An upload is pieces, each behind the one before (`Upload-Offset`); what was answered is on the disk. A download may be asked for in
/// parts (`Range`). What people sent one another is never shown as a page of this server's.
struct FileRoutes: Sendable {
    static let root = "/callbridge/v1/files"
    /// Bytes of a piece.
    static let longestPiece = 1024 * 1024

    let service: ConversationService
    let caller: ConversationCaller

    func add(to router: inout HTTPRouter) {
        let gate = HTTPBodyGate(bytes: Self.longestPiece) { caller.refusal(of: $0) }
        router.any(Self.root + "/*", body: gate) { request, eventLoop in
            eventLoop.makeFutureWithTask { await caller.respond(to: request, below: Self.root, answer) }
        }
    }

    private func answer(
        _ request: HTTPRequest, _ parts: [String], _ person: ConversationPerson
    ) async throws(ConversationRefusal) -> HTTPResponse {
        switch (parts.count, parts.last) {
        case (1, _):
            guard request.method == .GET || request.method == .HEAD else { return ConversationRoutes.allow("GET") }
            return ConversationRoutes.json(try await service.file(parts[0], for: person))
        case (2, "content"): return try await content(request, parts[0], person)
        default: return .notFound
        }
    }

    private func content(
        _ request: HTTPRequest, _ id: String, _ person: ConversationPerson
    ) async throws(ConversationRefusal) -> HTTPResponse {
        switch request.method {
        case .GET, .HEAD:
            let (file, path) = try await service.content(of: id, for: person)
            guard let opened = HTTPFile(path: path) else {
                throw ConversationRefusal(.unavailable, "the files' storage fails; try again later")
            }
            var response = HTTPResponse(
                opened, contentType: file.type, range: request.headers.first(name: "range"),
                ifRange: request.headers.first(name: "if-range"))
            let name = file.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "file"
            response.fields["Content-Disposition"] = "attachment; filename*=UTF-8''\(name)"
            response.fields["X-Content-Type-Options"] = "nosniff"
            response.fields["Content-Security-Policy"] = "sandbox; default-src 'none'"
            response.fields["Cache-Control"] = "no-store"
            return response
        case .PUT:
            guard let text = request.headers.first(name: "upload-offset"), let offset = Int64(text), offset >= 0 else {
                throw ConversationRefusal(.invalid, "Upload-Offset: say where the piece begins")
            }
            let bytes = Array(request.body.readableBytesView)
            return ConversationRoutes.json(try await service.append(bytes, to: id, at: offset, by: person))
        default: return ConversationRoutes.allow("GET, PUT")
        }
    }
}
