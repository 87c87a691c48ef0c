import Glibc
import NIOSSL

/// TLS 1.2 and 1.3 of servers, by NIOSSL.
package enum TLSServer {
    /// For a server's connections.
    ///
    /// - Parameters:
    ///   - certificateFile: PEM, the server's certificate first, then those between it and the root.
    ///   - keyFile: PEM, without a passphrase.
    /// - Throws: `TLSError` that names the file.
    package static func context(certificateFile: String, keyFile: String) throws(TLSError) -> NIOSSLContext {
        let configuration = try configuration(certificateFile: certificateFile, keyFile: keyFile)
        do { return try NIOSSLContext(configuration: configuration) } catch {
            // Each has been read: they don't belong together.
            throw .foreignKey(certificate: certificateFile, key: keyFile)
        }
    }

    /// The same, before a context is made of it.
    static func configuration(certificateFile: String, keyFile: String) throws(TLSError) -> TLSConfiguration {
        let (chain, key): ([NIOSSLCertificate], NIOSSLPrivateKey)
        do { chain = try NIOSSLCertificate.fromPEMFile(certificateFile) } catch {
            throw .unusableFile(certificateFile, role: "TLS certificate", reason: reason(certificateFile))
        }
        do { key = try NIOSSLPrivateKey(file: keyFile, format: .pem) } catch {
            throw .unusableFile(keyFile, role: "TLS key", reason: reason(keyFile))
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.shutdownTimeout = TLSClient.farewell
        return configuration
    }

    /// Why a file was refused: the system's reason where it can't be opened.
    static func reason(_ file: String) -> String {
        guard access(file, R_OK) == 0 else { return String(cString: strerror(errno)) }
        return "it holds nothing of that kind"
    }
}
