import ArgumentParser
import CallBridge
import CallServer
import Foundation
import Logging
import MediaCore

/// Options that every subcommand has.
struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print one JSON object at the end instead of text.")
    var json = false

    @Option(name: .long, help: "Log level on standard error: trace, debug, info, notice, warning, error, critical.")
    var logLevel = "warning"

    func validate() throws {
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError(
                "\"\(logLevel)\" is no log level; use trace, debug, info, notice, warning, error or critical.")
        }
    }

    /// Sends logs to standard error, without tokens and keys.
    func bootstrapLogging() {
        let level = Logger.Level(rawValue: logLevel) ?? .warning
        LoggingSystem.bootstrap { label in
            var standardError = StreamLogHandler.standardError(label: label)
            standardError.logLevel = level
            return PrintableLogHandler(standardError, limit: 16_384) { Secrets.cut(from: $0) }
        }
    }
}

/// Whose certificates are believed where a URL asks for TLS.
struct TrustOption: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "PEM certificates to believe besides the system's, for wss:// and https:// servers with private ones.",
            discussion: "Without it the file that CALLBRIDGE_CA_FILE names, if any.", valueName: "file"))
    var caFile: String?

    var trust: ServerTrust { caFile.map { .rootsFile($0) } ?? .system }
}

/// How SRTP is keyed, sealed and opened, and by which libraries.
struct SRTPOption: ParsableArguments {
    @Option(name: .long, help: "The DTLS backend: own or libssl (of OpenSSL 3.0).")
    var dtls: DTLSBackendChoice = .own

    @Option(name: .long, help: "The SRTP backend: libcrypto or libsrtp2.")
    var srtp: SRTPBackendChoice = .libcrypto

    @Option(
        name: .long,
        help: ArgumentHelp(
            "An SRTP profile to offer and accept, in order of preference; may be given more than once.",
            discussion: "aes128-gcm, aes128-cm-sha1-80, aes256-gcm; without it all of them in this order."))
    var srtpProfile: [SRTPProfileChoice] = []

    /// What was asked for, each once; all where nothing was.
    var profiles: [SRTPProfileChoice] {
        let wanted = srtpProfile.isEmpty ? SRTPProfileChoice.preferred : srtpProfile
        return wanted.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension DTLSBackendChoice: ExpressibleByArgument {}
extension SRTPBackendChoice: ExpressibleByArgument {}
extension SRTPProfileChoice: ExpressibleByArgument {}

/// End-to-end encryption.
struct EncryptionOption: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Encrypt media end to end with this passphrase, which all participants share; the server never sees it.",
            discussion: "Without it the one in CALLBRIDGE_E2EE_KEY, if any."))
    var e2eeKey: String?

    @Option(
        name: .customLong("e2ee-key-file"), parsing: .unconditional,
        help: ArgumentHelp("A file that holds the passphrase, instead of --e2ee-key.", valueName: "file"))
    var e2eeKeyFile: String?

    private var setting: SecretSetting {
        SecretSetting(option: "e2ee-key", value: e2eeKey, file: e2eeKeyFile, variable: .encryptionKey)
    }

    func validate() throws { _ = try setting.resolve() }

    /// A new one for each participant; nil without a passphrase. Throws `ValidationError`.
    func frameEncryption() throws -> FrameEncryption? { try setting.resolve().map { FrameEncryption(sharedKey: $0) } }
}

/// `WxH@FPS`, for example 640x360@30.
struct PictureFormat: ExpressibleByArgument {
    var width: Int
    var height: Int
    var frameRate: Double

    var defaultValueDescription: String { "\(width)x\(height)@\(Int(frameRate))" }

    init?(argument: String) {
        let halves = argument.split(separator: "@", maxSplits: 1)
        guard !argument.hasSuffix("@") else { return nil }
        let sides = halves.first?.lowercased().split(separator: "x") ?? []
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]), (160...4096).contains(width),
            (90...4096).contains(height)
        else { return nil }
        guard let rate = halves.count == 2 ? Double(halves[1]) : 30, (1...120).contains(rate) else { return nil }
        self.width = width
        self.height = height
        frameRate = rate
    }
}
