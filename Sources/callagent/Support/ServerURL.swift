import ArgumentParser
import Foundation

/// The server's URL, from an option or LIVEKIT_URL.
enum ServerURL {
    /// For signalling. Throws `ValidationError` where there is none.
    static func signalling(_ option: String?) throws -> String {
        guard let url = option ?? CallEnvironment[.url] else { throw ValidationError(APIKeyOptions.missing(["--url"])) }
        return url
    }

    /// For services beside signalling, which are asked by HTTP: the same server also where the variable begins with ws or
    /// wss. Throws `ValidationError` where there is none.
    static func service(_ option: String?) throws -> String {
        if let option { return try checked(option, "--server") }
        guard let url = CallEnvironment[.url] else { throw ValidationError(APIKeyOptions.missing(["--server"])) }
        return try checked(url.hasPrefix("ws") ? "http" + url.dropFirst(2) : url, CallEnvironment.Name.url.rawValue)
    }

    private static func checked(_ url: String, _ name: String) throws -> String {
        guard let parts = URLComponents(string: url), ["http", "https"].contains(parts.scheme),
            parts.host?.isEmpty == false,
            (1...65_535).contains(parts.port ?? 80)
        else {
            throw ValidationError("\(name) \"\(url)\" is no server URL; write it as http://host:port or https://host.")
        }
        return url
    }
}
