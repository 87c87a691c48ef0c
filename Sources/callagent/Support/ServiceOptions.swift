import ArgumentParser
import CallBridge

/// A call that a server's configuration service describes: it says which provider carries it, where, and lets us in.
struct ServiceOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The call server's URL, http://host:port or https://host, which is asked for the conversation's call.",
            discussion: "Without it that of LIVEKIT_URL."))
    var server: String?

    @Option(name: .long, parsing: .unconditional, help: "The conversation whose call is meant.")
    var conversation: String?

    @Option(
        name: .long, parsing: .unconditional, help: "The named area that we ask from; it may have its own provider.")
    var area: String?

    /// Whether the service is to be asked.
    var isGiven: Bool { server != nil || conversation != nil || area != nil }

    /// Where to ask, and for what. Throws `ValidationError`.
    func resolve(_ apiKey: APIKeyOptions) throws -> (
        server: String, credentials: ServiceCredentials, conversation: String
    ) {
        guard let conversation, !conversation.isEmpty else {
            throw ValidationError("--conversation is needed: the server is asked for that conversation's call.")
        }
        if area?.isEmpty == true { throw ValidationError("--area must not be empty.") }
        let server = try ServerURL.service(server)
        let (key, secret) = try apiKey.required()
        return (server, .apiKey(key, secret: secret), conversation)
    }
}
