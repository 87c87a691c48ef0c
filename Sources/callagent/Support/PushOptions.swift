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
            "The private key with which tokens for APNs are made, in place of a token file: AuthKey_ID.p8.",
            valueName: "file"))
    var apnsKey: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("That key's id, ten letters and digits.", valueName: "id"))
    var apnsKeyId: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The id of the team that the key belongs to, ten letters and digits.", valueName: "id"))
    var apnsTeam: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Send notifications to Firebase's devices there, the URL of a project's messages:send.", valueName: "url"))
    var fcm: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("A file with the token for FCM; it is read for each request.", valueName: "file"))
    var fcmTokenFile: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The JSON file of the service account whose access tokens FCM gets, in place of a token file.",
            valueName: "file"))
    var fcmServiceAccount: String?

    func check() throws {
        guard (apns == nil) == (apnsTopic == nil), apns != nil || apnsTokenFile == nil else {
            throw ValidationError("--apns and --apns-topic belong together, and --apns-token-file to them.")
        }
        let signing = [apnsKey, apnsKeyId, apnsTeam].compactMap(\.self)
        guard signing.isEmpty || (signing.count == 3 && apns != nil) else {
            throw ValidationError("--apns-key, --apns-key-id and --apns-team belong together, and to --apns.")
        }
        guard apnsKey == nil || apnsTokenFile == nil else {
            throw ValidationError("--apns-key makes tokens, --apns-token-file holds one: give one of them.")
        }
        guard fcm != nil || (fcmTokenFile == nil && fcmServiceAccount == nil) else {
            throw ValidationError("--fcm-token-file and --fcm-service-account need --fcm.")
        }
        guard fcmTokenFile == nil || fcmServiceAccount == nil else {
            throw ValidationError("--fcm-service-account makes tokens, --fcm-token-file holds one: give one of them.")
        }
    }

    var settings: CallServerConfiguration.Push {
        var settings = CallServerConfiguration.Push()
        settings.apns = apns.map { .init(url: $0, tokenFile: apnsTokenFile, credentials: providerKey) }
        settings.apnsTopic = apnsTopic ?? ""
        settings.fcm = fcm.map {
            .init(
                url: $0, tokenFile: fcmTokenFile,
                credentials: fcmServiceAccount.map(CallServerConfiguration.Push.Credentials.serviceAccount))
        }
        return settings
    }

    private var providerKey: CallServerConfiguration.Push.Credentials? {
        guard let apnsKey, let apnsKeyId, let apnsTeam else { return nil }
        return .providerKey(file: apnsKey, id: apnsKeyId, team: apnsTeam)
    }
}
