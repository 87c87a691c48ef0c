import Foundation

@testable import OpenTokSignalling

/// What the PyPI package `opentok` has sent, and what it made of answers: `Tests/Vectors/opentok/sdk.json`.
struct SDKVectors {
    struct Call {
        var name: String
        var request: RESTRequest
        var status: Int
        var body: String
        /// `ok`, or the class of the exception.
        var outcome: String
    }

    struct Token {
        var text: String
        var role: OpenTokRole
        var isJWT: Bool
        /// Without connection data and layout classes.
        var isPlain: Bool
    }

    let json: JSON
    let now: Int64
    let project: OpenTokProject
    let session: OpenTokSessionID

    init() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Vectors/opentok/sdk.json")
        json = try JSON(parsing: try Data(contentsOf: file))
        let fields = try JSONFields(json)
        now = try fields.integer("now", in: 0...(.max))
        project = try OpenTokProject(key: fields.text("key"), secret: fields.text("secret"))
        session = try OpenTokSessionID(parsing: fields.text("session"))
    }

    var secrets: [String: String] { [project.key: project.secret] }

    func calls() throws -> [Call] {
        try JSONFields(json).objects("calls", limit: 100).map {
            let request = try $0.object("request")
            let headers = try request.object("headers")
            let names = ["X-OPENTOK-AUTH", "Content-Type", "Accept"]
            return Call(
                name: try $0.text("name"),
                request: RESTRequest(
                    method: try request.text("method"), path: try request.text("path"),
                    query: try request.text("query"),
                    headers: try names.compactMap { name in
                        try headers.optionalText(name, limit: 5000).map { .init(name: name, value: $0) }
                    }, body: Array(try request.text("body", limit: 5000).utf8)),
                status: Int(try $0.object("response").integer("status", in: 100...599)),
                body: try $0.object("response").text("body", limit: 5000), outcome: try $0.text("sdk"))
        }
    }

    func tokens() throws -> [Token] {
        try JSONFields(json).objects("tokens", limit: 100).map {
            Token(
                text: try $0.text("token", limit: 5000), role: try $0.word("role"), isJWT: try $0.flag("jwt"),
                isPlain: try $0.optionalFlag("plain") ?? false)
        }
    }
}
