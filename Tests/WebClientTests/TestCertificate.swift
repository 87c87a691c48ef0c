import CCrypto
import Foundation
import Testing

@testable import TransportSecurity

/// A certificate made for a test, in files: the root that vouches for it, itself, and its key.
struct TestCertificate {
    let root: String
    let certificate: String
    let key: String
    private let folder: URL

    /// - Parameters:
    ///   - names: in the form of a subjectAltName extension, "DNS:localhost,IP:127.0.0.1" for example.
    ///   - seconds: its validity from now, from and until.
    init(names: String = "DNS:localhost,IP:127.0.0.1", valid seconds: ClosedRange<Int> = -60...3600) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let rootKey = try #require(ccrypto_p256_key())
        let ownKey = try #require(ccrypto_p256_key())
        defer { EVP_PKEY_free(rootKey); EVP_PKEY_free(ownKey) }
        let rootName = "Test root \(UUID().uuidString.prefix(8))"
        let root = try Self.make(rootName, by: rootName, key: rootKey, signer: rootKey, -60...3600) {
            try Self.extend($0, NID_basic_constraints, "critical,CA:TRUE")
        }
        let own = try Self.make("server", by: rootName, key: ownKey, signer: rootKey, seconds) {
            try Self.extend($0, NID_subject_alt_name, names)
        }
        defer { X509_free(root); X509_free(own) }
        self.root = folder.appendingPathComponent("root.pem").path
        certificate = folder.appendingPathComponent("server.pem").path
        key = folder.appendingPathComponent("server.key").path
        try Self.write(self.root) { PEM_write_bio_X509($0, root) }
        try Self.write(certificate) { PEM_write_bio_X509($0, own) }
        try Self.write(key) { PEM_write_bio_PrivateKey($0, ownKey, nil, nil, 0, nil, nil) }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    private static func make(
        _ name: String, by issuer: String, key: OpaquePointer, signer: OpaquePointer, _ valid: ClosedRange<Int>,
        _ extend: (OpaquePointer) throws -> Void
    ) throws -> OpaquePointer {
        let certificate = try #require(X509_new())
        let serial = (0..<8).map { _ in UInt8.random(in: 0...0x7f) }
        ccrypto_set_serial(certificate, serial, Int32(serial.count))
        X509_set_version(certificate, 2)
        X509_gmtime_adj(X509_getm_notBefore(certificate), valid.lowerBound)
        X509_gmtime_adj(X509_getm_notAfter(certificate), valid.upperBound)
        for (holder, text) in [(X509_get_subject_name(certificate), name), (nil, issuer)] {
            let target = holder ?? X509_NAME_new()
            X509_NAME_add_entry_by_txt(target, "CN", MBSTRING_UTF8, text, -1, -1, 0)
            if holder == nil { X509_set_issuer_name(certificate, target) }
        }
        X509_set_pubkey(certificate, key)
        try extend(certificate)
        try #require(X509_sign(certificate, signer, EVP_sha256()) > 0)
        return certificate
    }

    private static func extend(_ certificate: OpaquePointer, _ kind: Int32, _ value: String) throws {
        let made = try #require(X509V3_EXT_conf_nid(nil, nil, kind, value))
        defer { X509_EXTENSION_free(made) }
        try #require(X509_add_ext(certificate, made, -1) == 1)
    }

    private static func write(_ path: String, _ body: (OpaquePointer) -> Int32) throws {
        let file = try #require(BIO_new_file(path, "w"))
        defer { BIO_free(file) }
        try #require(body(file) == 1)
    }
}
