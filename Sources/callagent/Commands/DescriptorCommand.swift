import ArgumentParser
import CallBridge
import Foundation

/// `callagent descriptor`: what a server's configuration service says about a conversation's call.
struct DescriptorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "descriptor",
        abstract: "Ask a server which provider carries a conversation's call, and where.",
        discussion: """
            EXAMPLES
              callagent descriptor --server http://127.0.0.1:7880 --key devkey --secret ... --conversation support-42
              callagent descriptor ... --conversation support-42 --identity ada --area branch --with-token --json

            It is what `join --server ... --conversation ...` would get. The access token is left out unless --with-token asks \
            for it.

            EXIT CODES
              0  the descriptor is printed
              2  the command line is wrong
              3  the server does not answer, or has no call for us
            """)

    @OptionGroup var service: ServiceOptions
    @OptionGroup var apiKey: APIKeyOptions

    @Option(name: .long, parsing: .unconditional, help: "Who we are; without it the server names us.")
    var identity: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: "Ask for the descriptor of this provider, such as LIVEKIT, whatever the configuration prefers.")
    var provider: String?

    @Flag(name: .long, help: "Print the access token, too: whoever has it is let into the call.")
    var withToken = false

    @OptionGroup var trust: ClientTrustOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        _ = try service.resolve(apiKey)
        for (name, value) in [("--identity", identity), ("--provider", provider)] where value?.isEmpty == true {
            throw ValidationError("\(name) must not be empty.")
        }
    }

    func run() async throws {
        output.bootstrapLogging()
        try Descriptors.require()
        let (server, credentials, conversation) = try service.resolve(apiKey)
        let source = ServerDescriptorSource(server: server, credentials: credentials, trust: try trust.trust)
        let request = DescriptorRequest(
            conversation: conversation, identity: identity, area: service.area,
            provider: provider.map { ProviderKind(rawValue: $0) })
        var descriptor = try await source.descriptor(request)
        let hasToken = descriptor.credentials.token != nil
        if !withToken { Self.hide(&descriptor) }
        if output.json {
            JSONOutput.print(descriptor)
        } else {
            StandardOutput.report(Self.text(descriptor, hasToken: hasToken))
        }
    }

    /// Takes out what lets somebody in.
    private static func hide(_ descriptor: inout CallDescriptor) {
        descriptor.credentials.token = nil
        for index in descriptor.iceServers.indices { descriptor.iceServers[index].credential = nil }
    }

    static func text(_ descriptor: CallDescriptor, hasToken: Bool) -> String {
        var lines = [
            "provider      \(descriptor.provider)", "endpoint      \(descriptor.endpoint)",
            "conversation  \(descriptor.conversationId)", "call          \(descriptor.callId)",
            "provider's id \(descriptor.serviceProviderCallId)", "media         \(descriptor.mediaKind.rawValue)",
        ]
        let token = hasToken ? "yes; --with-token shows it" : "none"
        lines.append("token         \(descriptor.credentials.token ?? token)")
        for server in descriptor.iceServers { lines.append("ICE server    \(server.urls.joined(separator: " "))") }
        if let greeting = descriptor.greeting, !greeting.isEmpty { lines.append("greeting      \(greeting.text)") }
        for (name, value) in descriptor.features.sorted(by: { $0.key < $1.key }) {
            lines.append("feature       \(name) = \(JSONOutput.text(value))")
        }
        return lines.map(\.printable).joined(separator: "\n")
    }
}
