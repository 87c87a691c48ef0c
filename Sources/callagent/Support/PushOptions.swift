import ArgumentParser
import CallServer

/// Who carries a server's notifications.
struct PushOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Send notifications to Apple's devices there, by HTTP/2, https://api.push.apple.com for example.",
            valueName: "url"))
    var apns: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The application's identifier at APNs; calls go to it with .voip behind.", valueName: "name")
    )
    var apnsTopic: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("A file with the token for APNs; it is read for each request.", valueName: "file"))
    var apnsTokenFile: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Send notifications to Firebase's devices there, the URL of a project's messages:send.", valueName: "url"))
    var fcm: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("A file with the token for FCM; it is read for each request.", valueName: "file"))
    var fcmTokenFile: String?

    func check() throws {
        guard (apns == nil) == (apnsTopic == nil), apns != nil || apnsTokenFile == nil else {
            throw ValidationError("--apns and --apns-topic belong together, and --apns-token-file to them.")
        }
        guard fcm != nil || fcmTokenFile == nil else { throw ValidationError("--fcm-token-file needs --fcm.") }
    }

    var settings: CallServerConfiguration.Push {
        var settings = CallServerConfiguration.Push()
        settings.apns = apns.map { .init(url: $0, tokenFile: apnsTokenFile) }
        settings.apnsTopic = apnsTopic ?? ""
        settings.fcm = fcm.map { .init(url: $0, tokenFile: fcmTokenFile) }
        return settings
    }
}
