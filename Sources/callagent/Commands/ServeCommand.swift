import ArgumentParser
import CallServer
import Foundation
import MediaCore

/// `callagent serve`: the embedded call server by itself.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the call server until it is interrupted.",
        discussion: """
            It speaks LiveKit's protocol; LiveKit's clients can join it. It is meant for tests, development and small rooms.

            EXAMPLES
              callagent serve --key devkey --secret a-secret-of-32-characters-or-more
              callagent serve --port 7880 --bind 192.0.2.10 --key devkey --secret ...
            """)

    @Option(name: .long, parsing: .unconditional, help: "TCP port for signalling; 0 lets the system choose.")
    var port = 7880

    @Option(name: .long, parsing: .unconditional, help: "The address to listen on.")
    var bind = "127.0.0.1"

    @Option(name: .long, parsing: .unconditional, help: "The API key that tokens name.")
    var key = "devkey"

    @Option(name: .long, parsing: .unconditional, help: "The API key's secret; tokens are signed with it.")
    var secret: String

    @OptionGroup var srtp: SRTPOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port \(port): use 0 to 65535.") }
        guard !key.isEmpty, !secret.isEmpty else { throw ValidationError("--key and --secret must not be empty.") }
    }

    func run() async throws {
        output.bootstrapLogging()
        var configuration = CallServerConfiguration(keys: [key: secret])
        configuration.host = bind
        configuration.port = port
        configuration.srtpBackend = srtp.srtp.backend
        let server = CallServer(configuration: configuration)
        do {
            try await server.start()
        } catch {
            throw ExitStatus.Failure(status: .environment, message: "\(error)")
        }
        if output.json {
            JSONOutput.print(ServeReport(url: "ws://\(bind):\(server.port)", port: server.port))
        } else {
            print("listening on ws://\(bind):\(server.port), API key \(key); interrupt to stop")
        }
        await Interruption.wait()
        await server.stop()
    }
}

/// What `serve --json` prints once it listens.
private struct ServeReport: Encodable {
    var url: String
    var port: Int
}
