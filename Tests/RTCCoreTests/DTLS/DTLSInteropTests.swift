import Foundation
import RTCWire
import Testing

@testable import RTCCore

/// The `openssl` command as a real peer over loopback, in both roles: suites, groups and certificates that it chooses.
@Suite(.enabled(if: OpenSSLPeer.isInstalled), .serialized) struct DTLSInteropTests {
    /// What the command is told, and which SRTP profile comes of it.
    struct Setting: CustomTestStringConvertible {
        var options: [String]
        var certificate: OpenSSLPeer.Certificate = .ecdsa
        var profile = SRTPProfile.aeadAES128GCM

        var testDescription: String { "\(certificate) \(options.joined(separator: " "))" }
    }

    static let settings: [Setting] = [
        Setting(options: []),
        Setting(options: ["-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384", "-groups", "P-256"]),
        Setting(options: ["-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305"]),
        Setting(options: [], certificate: .rsa),
        Setting(options: ["-cipher", "ECDHE-RSA-CHACHA20-POLY1305"], certificate: .rsa),
        Setting(options: ["-mtu", "300"], certificate: .rsa),
        Setting(options: ["-use_srtp", "SRTP_AES128_CM_SHA1_80"], profile: .aes128CMSHA1_80),
    ]

    @Test(arguments: settings) func weAreTheClient(_ setting: Setting) throws {
        try call(setting, as: .client, more: [])
    }

    /// `-listen` asks for a cookie first.
    @Test func weAnswerHelloVerifyRequest() throws {
        try call(Setting(options: []), as: .client, more: ["-listen"])
    }

    /// A certificate on a curve whose key exchange we don't speak: a client may have it.
    @Test(arguments: settings + [Setting(options: [], certificate: .ecdsaP384)])
    func weAreTheServer(_ setting: Setting) throws {
        // A client's suites must fit our certificate, whatever its own is.
        var setting = setting
        if setting.options.contains("ECDHE-RSA-CHACHA20-POLY1305") { setting.options = [] }
        try call(setting, as: .server, more: [])
    }

    /// Handshake, the same keys on both sides by RFC 5705, a line each way, close_notify.
    private func call(_ setting: Setting, as role: DTLSRole, more: [String]) throws {
        let socket = try LoopbackSocket()
        let peer = try OpenSSLPeer(setting.certificate, setting.options + more, role: role.opposite, port: socket.port)
        defer { peer.stop() }
        let endpoint = try DTLSTestEndpoint(
            role, try DTLSTestPair.certificates.get().0, profiles: SRTPProfile.allCases,
            expecting: peer.fingerprint)
        if role == .client { socket.connect(to: peer.port) }
        let pump = LoopbackPump(socket: socket, endpoint: endpoint)
        // The command may not listen yet; our flight is sent again.
        #expect(try pump.run { endpoint.state == .connected }, "\(endpoint.state): \(peer.output)")
        let keys = try #require(endpoint.keys)
        #expect(keys.profile == setting.profile)
        #expect(endpoint.send(Array("from us\n".utf8), pump.now))
        peer.write("from openssl\n")
        let (client, server) = (keys.written(by: .client), keys.written(by: .server))
        let exported = [client.key, server.key, client.salt, server.salt]
            .map { $0.withBytes { $0.map { String(format: "%02X", $0) }.joined() } }.joined()
        #expect(
            try pump.run { endpoint.messages.count == 1 && peer.output.contains("from us") }, "\(peer.output)")
        #expect(endpoint.messages.first == Array("from openssl\n".utf8))
        #expect(peer.output.contains("Keying material: \(exported)"), "\(peer.output)")
        // `s_server` ends without close_notify, and says when it gets ours.
        if role == .client { endpoint.close(pump.now) } else { peer.quit() }
        #expect(
            try pump.run {
                endpoint.state == .closed && (role == .server || peer.output.contains("DONE"))
            },
            "\(endpoint.state): \(peer.output)")
    }
}
