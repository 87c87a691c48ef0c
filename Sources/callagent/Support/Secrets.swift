import CallModel
import Foundation
import Synchronization

/// What we were given to keep to ourselves: it is cut out of every message.
enum Secrets {
    /// Shorter ones would take ordinary words out of our own sentences.
    private static let shortest = 8
    /// Options whose value is secret; of `--ice-server` it is what follows the second comma.
    private static let options: Set = [
        "--secret", "--token", "--e2ee-key", "--ice-server", "--turn-secret", "--security-key", "--webhook-secret",
        "--push-token", "--client-certificate-password",
    ]
    private static let known = Mutex<Set<String>>([])

    /// Takes note of a secret.
    static func note(_ secret: String) {
        let value = secret.trimmingCharacters(in: .whitespacesAndNewlines)
        if value.utf8.count >= shortest { known.withLock { _ = $0.insert(value) } }
    }

    /// Takes note of what a command line holds, also one that is wrong: its message must not repeat it.
    static func note(arguments: [String]) {
        var previous = ""
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            if options.contains(previous) {
                note(argument, of: previous)
            } else if parts.count == 2, options.contains(parts[0]) {
                note(parts[1], of: parts[0])
            } else if argument.hasPrefix("eyJ") {
                note(argument)
            }
            previous = argument
        }
    }

    private static func note(_ value: String, of option: String) {
        guard option == "--ice-server" else { return note(value) }
        let parts = value.split(separator: ",", maxSplits: 2)
        if parts.count == 3, !parts[2].hasPrefix("@") { note(String(parts[2])) }
    }

    /// `text` without them.
    static func cut(from text: String) -> String { RemoteText.cut(known.withLock { Array($0) }, from: text) }
}
