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
        if let option { return option }
        guard let url = CallEnvironment[.url] else { throw ValidationError(APIKeyOptions.missing(["--server"])) }
        return url.hasPrefix("ws") ? "http" + url.dropFirst(2) : url
    }
}
