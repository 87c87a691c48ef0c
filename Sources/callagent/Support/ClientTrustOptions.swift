import ArgumentParser
import CallBridge
import Foundation

/// Whom a client of servers believes, and what it presents to them.
struct ClientTrustOptions: ParsableArguments {
    @OptionGroup var roots: TrustOption

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Speak to servers only with this key in their verified chain: sha256/BASE64, or a file with a certificate.",
            discussion: "Give it twice at least: one pin has to be a backup, of a key that is kept elsewhere.",
            valueName: "pin"))
    var pin: [String] = []

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "A PKCS#12 file with a certificate and its key, for servers that demand one.", valueName: "file"))
    var clientCertificate: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: "The password of --client-certificate. Other users of this machine see command lines.")
    var clientCertificatePassword: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "A file that holds the password, instead of --client-certificate-password.", valueName: "file"))
    var clientCertificatePasswordFile: String?

    private var password: SecretSetting {
        SecretSetting(
            option: "client-certificate-password", value: clientCertificatePassword,
            file: clientCertificatePasswordFile, variable: .certificatePassword)
    }

    func validate() throws { _ = try trust }

    /// Throws `ValidationError` that names the option.
    var trust: ServerTrust {
        get throws {
            var trust = roots.trust
            if let pins = try pins() { trust = trust.pinned(to: pins) }
            if let identity = try identity() { trust = trust.presenting(identity) }
            return trust
        }
    }

    private func pins() throws -> CertificatePins? {
        guard !pin.isEmpty else { return nil }
        let isPin = { (text: String) in text.hasPrefix("sha256/") }
        do {
            return try CertificatePins(pin.filter(isPin), certificateFiles: pin.filter { !isPin($0) })
        } catch { throw ValidationError("--pin: \(error).") }
    }

    private func identity() throws -> ClientIdentity? {
        guard let clientCertificate else {
            guard !password.isGiven else {
                throw ValidationError("--client-certificate-password belongs to --client-certificate: give both.")
            }
            return nil
        }
        do {
            return try ClientIdentity(pkcs12File: clientCertificate, password: try password.resolve() ?? "")
        } catch let fault as IdentityFault { throw ValidationError("--client-certificate: \(fault).") }
    }
}
