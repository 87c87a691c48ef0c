import ArgumentParser
import CallServer

/// TURN servers that share a secret with this one, so that every participant gets credentials of its own.
struct TURNOptions: ParsableArguments {
    @Option(
        name: .customLong("turn"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A TURN server that clients get credentials of their own for; repeatable. Needs --turn-secret.",
            discussion: """
                The credentials expire; they are made of a secret that both servers know (coturn: use-auth-secret, static-auth-secret):
                  --turn turn:turn.example.org --turn "turn:turn.example.org?transport=tcp" --turn-secret-file secret.txt
                """, valueName: "url"))
    var urls: [String] = []

    @Option(
        name: .customLong("turn-secret"), parsing: .unconditional,
        help: "The secret; CALLBRIDGE_TURN_SECRET or --turn-secret-file keep it off the command line.")
    var secret: String?

    @Option(
        name: .customLong("turn-secret-file"), parsing: .unconditional,
        help: ArgumentHelp("A file that holds the secret and nothing else.", valueName: "file"))
    var secretFile: String?

    @Option(
        name: .customLong("turn-lifetime"), parsing: .unconditional,
        help: "Seconds for which credentials are good; a relay lasts no longer without a resume.")
    var lifetime = ICEServer.defaultLifetime

    func validate() throws {
        guard secret == nil || secretFile == nil else {
            throw ValidationError("--turn-secret and --turn-secret-file say the same; give one of them.")
        }
        guard !urls.isEmpty else {
            guard secret == nil, secretFile == nil else {
                throw ValidationError("--turn-secret without --turn; name the TURN server: --turn turn:HOST.")
            }
            return
        }
        for url in urls where !["turn:", "turns:"].contains(where: { url.lowercased().hasPrefix($0) }) {
            throw ValidationError("--turn \"\(url)\" is no turn: or turns: URL; STUN servers take --ice-server.")
        }
        for server in try servers() { if let fault = server.fault { throw ValidationError("--turn: \(fault).") } }
    }

    /// For a server to name. Throws `ValidationError`, which never repeats the secret.
    func servers() throws -> [ICEServer] {
        guard !urls.isEmpty else { return [] }
        let given = try secretFile.map { try SecretFile.read($0, for: "--turn-secret-file") } ?? secret
        guard let shared = given ?? CallEnvironment.secret(.turnSecret), !shared.isEmpty else {
            throw ValidationError(
                "--turn: the secret is missing; give --turn-secret-file FILE, CALLBRIDGE_TURN_SECRET or --turn-secret. "
                    + "For a server with fixed credentials there is --ice-server URL,USER,SECRET.")
        }
        Secrets.note(shared)
        return urls.map { ICEServer(urls: [$0], sharedSecret: shared, lifetime: lifetime) }
    }
}
