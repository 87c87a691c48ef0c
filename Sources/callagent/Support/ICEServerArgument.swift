import ArgumentParser
import CallServer
import MediaCore

/// `URL`, `URL,USER` or `URL,USER,SECRET`, as `--ice-server` takes it. The secret may have commas; `@FILE` reads it from a
/// file, and without it CALLBRIDGE_TURN_CREDENTIAL gives it.
struct ICEServerArgument {
    var url: String
    var username = ""
    var credential = ""

    /// Throws `ValidationError`, which never repeats the secret.
    init(_ text: String) throws {
        let parts = text.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        url = parts[0]
        let shown = parts.prefix(2).joined(separator: ",")
        guard !url.isEmpty else {
            throw ValidationError("--ice-server \"\(shown)\": write URL, or URL,USER,SECRET.")
        }
        if parts.count > 1 {
            username = parts[1]
            let given = parts.count == 3 ? parts[2] : CallEnvironment.secret(.turnCredential)
            guard let given, !given.isEmpty else {
                throw ValidationError(
                    "--ice-server \"\(shown)\": the secret is missing; write URL,USER,SECRET or URL,USER,@FILE, "
                        + "or set CALLBRIDGE_TURN_CREDENTIAL.")
            }
            credential = try Self.read(given)
        }
    }

    private static func read(_ given: String) throws -> String {
        guard given.hasPrefix("@") else {
            Secrets.note(given)
            return given
        }
        return try SecretFile.read(String(given.dropFirst()), for: "--ice-server")
    }

    /// For a client's session.
    var session: SessionICEServer { SessionICEServer(urls: [url], username: username, credential: credential) }

    /// For a server to name.
    var server: ICEServer { ICEServer(urls: [url], username: username, credential: credential) }
}
