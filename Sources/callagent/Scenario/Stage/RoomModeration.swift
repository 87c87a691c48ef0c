import Foundation
import LiveKitProtocol
import WebClient

/// Asks a server's room API as a moderator does.
struct RoomModeration {
    let url: String
    let key: String
    let secret: String

    /// Throws `ExitStatus.Failure` where the server refuses.
    func send(_ method: String, _ body: [String: String], _ room: String) async throws {
        var claims = TokenClaims(issuer: key, subject: "moderator")
        claims.expires = Date().timeIntervalSince1970 + 600
        claims.video = .join(room: room)
        claims.video?.roomAdmin = true
        claims.video?.roomCreate = true
        let server = url.hasPrefix("ws") ? "http" + url.dropFirst(2) : url
        let address = "\(server)/twirp/livekit.RoomService/\(method)"
        guard let url = URLComponents(string: address) else { return }
        var request = WebRequest(.post, url, trust: .environment)
        request.headers = [
            ("Content-Type", "application/json"),
            ("Authorization", "Bearer \(AccessToken.mint(claims, secret: secret))"),
        ]
        request.body = Array(try JSONEncoder().encode(body))
        let answer = try await WebClient.send(request)
        guard answer.status == 200 else {
            throw ExitStatus.Failure(
                status: .lost,
                message: "\(method) was refused: \(String(decoding: answer.body.prefix(500), as: UTF8.self))")
        }
    }
}
