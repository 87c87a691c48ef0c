import CCrypto
import Foundation
import Testing

@testable import TransportSecurity

/// A certificate authority for one test, by the openssl command: a root, an intermediate below it, servers and clients below that.
final class TestAuthority: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ca-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["root", "middle", "server", "backup", "client", "stranger"] { try key(name) }
        try openssl(
            "req", "-x509", "-new", "-key", "root.key", "-subj", "/CN=Test root", "-days", "2", "-out", "root.pem",
            "-addext", "basicConstraints=critical,CA:TRUE")
        try issue("middle", by: "root", "basicConstraints=critical,CA:TRUE")
        try issue("server", by: "middle", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        try chain("server")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    var root: TLSTrust { TLSTrust(rootsFile: path("root.pem")) }

    private func key(_ name: String) throws {
        try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "\(name).key")
    }

    /// A certificate NAME.pem for the key NAME.key.
    func issue(_ name: String, key: String? = nil, by issuer: String, _ extensions: String, _ validity: String...)
        throws
    {
        try Data("\(extensions)\n".utf8).write(to: folder.appendingPathComponent("\(name).ext"))
        try openssl("req", "-new", "-key", "\(key ?? name).key", "-subj", "/CN=\(name)", "-out", "\(name).csr")
        try openssl(
            [
                "x509", "-req", "-in", "\(name).csr", "-CA", "\(issuer).pem", "-CAkey", "\(issuer).key",
                "-CAcreateserial",
            ]
                + ["-extfile", "\(name).ext", "-out", "\(name).pem"] + (validity.isEmpty ? ["-days", "2"] : validity))
    }

    /// NAME-chain.pem: the certificate, and the intermediate.
    func chain(_ name: String) throws {
        let pem = try ["\(name).pem", "middle.pem"].map { try Data(contentsOf: folder.appendingPathComponent($0)) }
        try (pem[0] + pem[1]).write(to: folder.appendingPathComponent("\(name)-chain.pem"))
    }

    /// The pin of a key, by the openssl command: not by what is tested.
    func pin(_ name: String) throws -> String {
        try openssl("pkey", "-in", "\(name).key", "-pubout", "-outform", "DER", "-out", "\(name).spki")
        try openssl("dgst", "-sha256", "-binary", "-out", "\(name).digest", "\(name).spki")
        return "sha256/" + (try Data(contentsOf: folder.appendingPathComponent("\(name).digest"))).base64EncodedString()
    }

    /// A client's certificate as PKCS#12, in NAME.p12.
    @discardableResult func pkcs12(_ name: String, password: String, _ options: String...) throws -> String {
        try issue("client", by: "middle", "extendedKeyUsage=clientAuth")
        try openssl(
            ["pkcs12", "-export", "-in", "client.pem", "-out", name, "-passout", "pass:\(password)"]
                + (options.contains("-nokeys") ? [] : ["-inkey", "client.key", "-certfile", "middle.pem"]) + options)
        return path(name)
    }

    func openssl(_ arguments: String...) throws { try openssl(arguments) }

    func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments.joined(separator: " ")): \(text)")
    }
}
