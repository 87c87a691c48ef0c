import ArgumentParser
import CallServer

/// What plain WebRTC and those who watch the server find.
struct WatchingOptions: ParsableArguments {
    @Flag(
        name: .long,
        help: ArgumentHelp(
            "Serve /dashboard, which shows rooms live to an administrator's token, and /join, with which a browser joins.",
            discussion: "callagent token mint --admin makes such a token. See docs/dashboard.md."))
    var dashboard = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "A file of LiveKit's browser client (livekit-client.umd.js) that the join page may use; needs --dashboard.",
            valueName: "file"))
    var livekitClient: String?

    @Flag(name: .customLong("no-whip"), help: "Let nobody in by WHIP and WHEP. See docs/whip.md.")
    var refusesWHIP = false

    func check() throws {
        guard livekitClient == nil || dashboard else {
            throw ValidationError("--livekit-client is for the join page: give --dashboard too.")
        }
        guard livekitClient?.isEmpty != true else { throw ValidationError("--livekit-client must not be empty.") }
    }

    var settings: CallServerConfiguration.Watching {
        var settings = CallServerConfiguration.Watching()
        settings.whip = !refusesWHIP
        settings.dashboard = dashboard
        settings.liveKitClient = livekitClient
        return settings
    }
}
