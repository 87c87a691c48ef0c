import ArgumentParser
import Foundation
import NIOCore
import RTCSim
import RTCTransport
import RTCWire
import WebClient

/// `callagent netem`: a bad network for any client.
struct NetemCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "netem",
        abstract: "Stand between WebRTC clients and a server as a bad network does.",
        discussion: """
            With --server it stands for a server's signalling: point a client at --listen. It passes LiveKit's signalling, WHIP \
            and WHEP on, puts its own addresses in the place of the server's, and keeps the clients' back, so that media takes \
            the way through it and no other. With --udp it passes the datagrams of one port on: of a TURN server, or of any \
            server whose clients can be told where to send. Everybody has a link of their own, and all meet the same weather, \
            counted from their first datagram.

            NETWORKS
            \(NetemCommand.networks)

            EXAMPLES
              callagent netem --server ws://127.0.0.1:7880 --network 3g       (clients join ws://127.0.0.1:7890)
              callagent netem --server wss://rtc.example.org --listen 0.0.0.0:7890 --network wifi-bad,seed=7
              callagent netem --server ws://127.0.0.1:7880 --network delay=40,up.rate=300,down.rate=2M
              callagent netem --server ws://127.0.0.1:7880 --network trace=walk.trace --json
              callagent netem --server ws://127.0.0.1:7880 --network loss=10,burst=60,blackout=8s@20s,rebind=30s
              callagent netem --udp 3479=192.0.2.9:3478 --network satellite   (clients use turn:127.0.0.1:3479, relay only)

            An interruption, or the end of --duration, is its ordinary end: exit code 0. Where the relays themselves were too \
            slow, and lost what the network did not, it is 1.

            \(ExitStatus.table)
            """)

    static let networks = NetworkProfile.presets.map {
        "  \($0.name.padding(toLength: 16, withPad: " ", startingAt: 0))  \($0.summary)"
    }.joined(separator: "\n")

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The server whose signalling is passed on: ws, wss, http or https.", valueName: "url"))
    var server: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Where clients find it instead; port 0 lets the system choose. Relays are on the address by which a client came.",
            valueName: "[address:]port"))
    var listen = "127.0.0.1:7890"

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A UDP port, and where its datagrams go; may be given more than once.",
            valueName: "[address:]port=host:port"))
    var udp: [String] = []

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("What the network does.", discussion: NetworkArgument.discussion, valueName: "network"),
        transform: NetworkArgument.profile)
    var network = NetworkProfile()

    @Option(name: .long, parsing: .unconditional, help: "The seed of the weather, as seed=N in --network.")
    var seed: UInt64?

    @Flag(name: .long, help: "Give each client weather of its own, instead of all the same.")
    var ownWeather = false

    @Option(name: .long, parsing: .unconditional, help: "Seconds until it ends; without it, until it is interrupted.")
    var duration: Double?

    @Option(name: .long, parsing: .unconditional, help: "Seconds between two lines of --json, 0.1 to 3600.")
    var interval = 1.0

    @OptionGroup var trust: TrustOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard server != nil || !udp.isEmpty else {
            throw ValidationError("name what shall be passed on: --server URL, --udp PORT=HOST:PORT, or both.")
        }
        if let duration, !(0.1...31_536_000).contains(duration) {
            throw ValidationError("--duration \(duration): use 0.1 to 31536000 seconds.")
        }
        guard (0.1...3600).contains(interval) else {
            throw ValidationError("--interval \(interval): use 0.1 to 3600 seconds.")
        }
        _ = try settings()
    }

    func run() async throws {
        output.bootstrapLogging()
        try Descriptors.require()
        Interruption.begin(watchesOutput: output.json)
        guard try await NetemRun(settings: settings()).run() else { throw ExitCode(ExitStatus.lost.rawValue) }
    }

    func settings() throws -> NetemRun.Settings {
        var settings = NetemRun.Settings()
        settings.profile = network
        if let seed { settings.profile.seed = seed }
        settings.isEachItsOwn = ownWeather
        settings.ways = try udp.map(Self.way)
        settings.server = try server.map(Self.address)
        settings.trust = trust.trust.roots
        (settings.host, settings.port) = try Self.place(listen, option: "--listen \(listen)")
        settings.duration = duration
        settings.interval = interval
        settings.isJSON = output.json
        return settings
    }

    private static func address(_ url: String) throws -> WebAddress {
        guard let parts = URLComponents(string: url), let address = try? WebAddress(parts) else {
            throw ValidationError("--server \"\(url)\" is no server URL; write it as ws://host:port or wss://host.")
        }
        guard ["", "/"].contains(parts.path) else {
            throw ValidationError("--server \"\(url)\": leave out the path; clients ask for it themselves.")
        }
        return address
    }

    /// `PORT`, `ADDRESS:PORT` or `[ADDRESS]:PORT`.
    static func place(_ text: String, option: String) throws -> (host: String, port: Int) {
        let split = text.lastIndex(of: ":")
        let host = split.map { String(text[..<$0]) } ?? "127.0.0.1"
        let name = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let digits = split.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = UInt16(digits), TransportAddress(host: name, port: port) != nil else {
            throw ValidationError("\(option): write PORT or ADDRESS:PORT, with an address of this machine.")
        }
        return (name, Int(port))
    }

    private static func way(_ text: String) throws -> NetemWay {
        let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard halves.count == 2 else {
            throw ValidationError("--udp \(text): write PORT=HOST:PORT, for example 3479=192.0.2.9:3478.")
        }
        let (host, port) = try place(halves[0], option: "--udp \(text)")
        guard let split = halves[1].lastIndex(of: ":"),
            let number = UInt16(halves[1][halves[1].index(after: split)...]), number > 0
        else { throw ValidationError("--udp \(text): the server needs a port, as 192.0.2.9:3478.") }
        let name = halves[1][..<split].trimmingCharacters(in: ["[", "]"])
        let resolved =
            TransportAddress(host: name, port: number)
            ?? (try? SocketAddress.makeAddressResolvingHost(name, port: Int(number))).flatMap {
                TransportAddress(host: $0.ipAddress ?? "", port: number)
            }
        guard let target = resolved else {
            throw ValidationError("--udp \(text): \(name) has no address; check the name.")
        }
        return NetemWay(host: host, port: port, target: target)
    }
}
