import ArgumentParser
import ServiceDesk

/// Which service desk, and as whom.
struct ChatTargetOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The service, http://host:port or https://host.", valueName: "url"))
    var server: String

    @Option(
        name: .long, parsing: .unconditional,
        help: "The application's id, from the settings of the form that tickets are made from.")
    var app: String

    @Option(
        name: .long, parsing: .unconditional,
        help: "A user of the application, on all their devices; without it the chat is anonymous and the device's.")
    var user: String?

    @OptionGroup var key: SecurityKeyOptions

    @OptionGroup var trust: ClientTrustOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Keep the device's chats there; without it an anonymous chat is gone with the command.", valueName: "file"))
    var state: String?

    func validate() throws {
        _ = try credentials(device: "device")
        guard state?.isEmpty != true else { throw ValidationError("--state must not be empty.") }
        do { _ = try ServiceDesk(server: server, appID: app, store: DeskLocalStore()) } catch {
            throw ValidationError("--server \(server): \(error).")
        }
    }

    /// Throws `ValidationError` that names the option.
    @discardableResult func credentials(device: String) throws -> DeskCredentials {
        let secret = user == nil ? nil : try key.setting.resolve()
        if user == nil, key.setting.isGiven {
            throw ValidationError("--security-key belongs to --user: give both, or neither.")
        }
        if user != nil, secret == nil {
            throw ValidationError(
                "--security-key (or --security-key-file or CALLBRIDGE_SECURITY_KEY) is needed with --user.")
        }
        do {
            return try DeskCredentials(appID: app, deviceID: device, userID: user, securityKey: secret)
        } catch {
            let option = error.code == .missingAppID ? "--app" : "--user, --security-key"
            throw ValidationError("\(option): \(error).")
        }
    }
}

/// A user's security key.
struct SecurityKeyOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "The user's security key. Other users of this machine see command lines.")
    var securityKey: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("A file that holds the key, instead of --security-key.", valueName: "file"))
    var securityKeyFile: String?

    var setting: SecretSetting {
        SecretSetting(option: "security-key", value: securityKey, file: securityKeyFile, variable: .securityKey)
    }
}

/// The secret that service and webhook listener share.
struct WebhookSecretOptions: ParsableArguments {
    @Option(name: .long, parsing: .unconditional, help: "Signs webhooks; both sides have it.")
    var webhookSecret: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("A file that holds it, instead of --webhook-secret.", valueName: "file"))
    var webhookSecretFile: String?

    var setting: SecretSetting {
        SecretSetting(
            option: "webhook-secret", value: webhookSecret, file: webhookSecretFile, variable: .webhookSecret)
    }
}
