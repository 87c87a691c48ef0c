import CallBridge
import Foundation

/// An application with any providers, or none: it places a call for each conversation that it reads, one a line, and prints
/// one line about what came of it.
///
///     connected LIVEKIT
///     failed providerNotInstalled wanted FAKE installed LIVEKIT: the call wants the provider FAKE, but only ...
public enum Application {
    /// Asks the configuration service at the server that the arguments name, with a key and its secret.
    public static func run(providers: [ProviderRegistration]) async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let server = arguments.first, let secret = arguments.last else {
            FileHandle.standardError.write(Data("usage: SERVER KEY SECRET, and conversations, one a line\n".utf8))
            exit(2)
        }
        let key = arguments[arguments.startIndex + 1]
        let bridge = CallBridge(
            configuration: .init(server: server, credentials: .apiKey(key, secret: secret), providers: providers))
        while let conversation = readLine() {
            // Not `print`, which keeps lines back until there are many where nobody watches a terminal.
            FileHandle.standardOutput.write(Data((await place(conversation, with: bridge) + "\n").utf8))
        }
        await bridge.shutdown()
    }

    private static func place(_ conversation: String, with bridge: CallBridge) async -> String {
        do {
            let call = try await bridge.join(conversation: conversation, as: "ada")
            for await event in call.events {
                guard case .stateChanged(.active) = event else { continue }
                break
            }
            await call.leave()
            return "connected \(call.descriptor.provider)"
        } catch let error as CallError {
            let wanted = error.wanted.map { " wanted \($0)" } ?? ""
            let installed = error.installed.isEmpty ? "" : " installed \(error.installed)"
            return "failed \(error.code.rawValue)\(wanted)\(installed): \(error.message)"
        } catch {
            return "failed: \(error)"
        }
    }
}
