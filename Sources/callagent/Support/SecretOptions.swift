import ArgumentParser
import Foundation

/// A secret that may stand on the command line, in a file, or in the environment; the first of them counts.
struct SecretSetting {
    /// The option without its dashes, such as "secret"; the file's is that with "-file".
    var option: String
    var value: String?
    var file: String?
    var variable: CallEnvironment.Name

    /// On the command line, in itself or by its file.
    var isGiven: Bool { value != nil || file != nil }

    /// The secret; nil where nobody gives one. Throws `ValidationError`.
    func resolve() throws -> String? {
        if value != nil, let file {
            throw ValidationError("--\(option) and --\(option)-file \(file) exclude each other: give one of them.")
        }
        if let file { return try SecretFile.read(file, for: "--\(option)-file") }
        guard let value else { return CallEnvironment.secret(variable) }
        guard !value.isEmpty else { throw ValidationError("--\(option) must not be empty.") }
        Secrets.note(value)
        return value
    }
}

/// A server's API key and its secret.
struct APIKeyOptions: ParsableArguments {
    @Option(name: .long, parsing: .unconditional, help: "The server's API key; without it LIVEKIT_API_KEY.")
    var key: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: "The API key's secret; without it LIVEKIT_API_SECRET. Other users of this machine see command lines.")
    var secret: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("A file that holds the secret, instead of --secret.", valueName: "file"))
    var secretFile: String?

    private var setting: SecretSetting {
        SecretSetting(option: "secret", value: secret, file: secretFile, variable: .apiSecret)
    }

    /// Given on the command line.
    var isGiven: Bool { key != nil || setting.isGiven }

    /// Key and secret, as far as they are given. Throws `ValidationError`.
    func resolve() throws -> (key: String?, secret: String?) {
        if key?.isEmpty == true { throw ValidationError("--key must not be empty.") }
        return (key ?? CallEnvironment[.apiKey], try setting.resolve())
    }

    /// Both, or an error that names what is missing.
    ///
    /// - Parameter defaultKey: where no key is given.
    func required(defaultKey: String? = nil) throws -> (key: String, secret: String) {
        let found = try resolve()
        let key = found.key ?? defaultKey
        guard let key, let secret = found.secret else {
            let missing = (key == nil ? ["--key"] : []) + (found.secret == nil ? ["--secret"] : [])
            throw ValidationError(Self.missing(missing))
        }
        return (key, secret)
    }

    /// What to say where options are missing.
    static func missing(_ options: [String]) -> String {
        let variables = [
            "--key": "LIVEKIT_API_KEY", "--secret": "--secret-file or LIVEKIT_API_SECRET", "--url": "LIVEKIT_URL",
            "--server": "LIVEKIT_URL",
        ]
        let ways = options.map { option in option + (variables[option].map { " (or \($0))" } ?? "") }
        return "\(ways.joined(separator: ", ")) \(options.count == 1 ? "is" : "are") needed."
    }
}

/// An access token.
struct TokenOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "An access token; without it LIVEKIT_TOKEN, or one is minted with --key, --secret, --room and --identity."
    )
    var token: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("A file that holds the token, instead of --token.", valueName: "file"))
    var tokenFile: String?

    var setting: SecretSetting {
        SecretSetting(option: "token", value: token, file: tokenFile, variable: .token)
    }
}
