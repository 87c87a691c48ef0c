import CCrypto
import RTCWire

/// Whether libssl can be driven by our clock.
///
/// libssl 3.0 reads the wall clock to time its retransmissions. We let its timeout be an hour and, at our own deadline,
/// put its deadline into the past: `BIO_CTRL_DGRAM_SET_NEXT_TIMEOUT` hands over where it stands. Later versions hand
/// over a copy, so the trick needs 3.0 and is tried before anything relies on it.
enum DTLSClock {
    /// Tried once per process.
    static let isOurs: Bool = isThreeZero && retransmitsOnTime()

    /// Writing through the pointer of another version would write where nothing of ours is.
    private static var isThreeZero: Bool { OpenSSL_version_num() >> 20 == 0x300 }

    /// Sends a ClientHello to nobody: it must be sent again at 50 ms and at 150 ms, and never in between.
    private static func retransmitsOnTime() -> Bool {
        guard let certificate = try? DTLSCertificate.generate(),
            var transport = try? LibraryDTLS(
                role: .client, settings: HandshakeSettings(certificate: certificate, srtpProfiles: []), mtu: 1200,
                expectedFingerprint: nil, isClockChecked: false)
        else { return false }
        let outbox = DatagramOutbox(capacity: 4096)
        let nowhere = TransportAddress(ipv4: 0, port: 0)
        _ = transport.start(now: .zero, into: outbox, to: nowhere)
        for (elapsed, sent) in [(49, 1), (50, 2), (149, 2), (150, 3)] {
            _ = transport.advance(to: .zero + .milliseconds(elapsed), into: outbox, to: nowhere)
            guard outbox.datagrams.count == sent else { return false }
        }
        return transport.nextDeadline == .zero + .milliseconds(350)
    }
}
