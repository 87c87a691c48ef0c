import Synchronization

/// Certificates that peers have shown lately. A server shows all its clients the same one, and to read the key in it takes
/// libcrypto longer than to check a signature by it. Nothing follows from a certificate's being known.
final class ShownCertificates: Sendable {
    private static let capacity = 4

    private let known = Mutex<[PeerCertificate]>([])

    /// The certificate; nil where `PeerCertificate` refuses it.
    func certificate(der: [UInt8]) -> PeerCertificate? {
        if let known = known.withLock({ $0.first { $0.der == der } }) { return known }
        guard let new = PeerCertificate(der: der) else { return nil }
        known.withLock { known in
            if known.count >= Self.capacity { known.removeFirst() }
            known.append(new)
        }
        return new
    }
}
