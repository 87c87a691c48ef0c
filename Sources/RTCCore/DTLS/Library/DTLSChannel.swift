import CCrypto
import RTCWire

/// What libssl's callbacks reach: the datagram being read, where writes go, and the retransmission timer.
///
/// It lies in memory of its own that `LibraryDTLS` allocates and frees after the `SSL`; the `BIO` and the `SSL` hold
/// its address. `outbox` and `incoming` are set for the length of one call.
struct DTLSChannel {
    /// First retransmission timeout and its cap. RFC 6347 section 4.2.4.1 says 1 s; WebRTC's paths were measured by ICE.
    static let firstTimeout = Interval.milliseconds(50)
    static let longestTimeout = Interval.milliseconds(3200)

    var now = Instant.zero
    var outbox: Unmanaged<DatagramOutbox>?
    var destination = TransportAddress(high: 0, low: 0, port: 0)
    /// The datagram that the next read takes; nil once it is taken.
    var incoming: UnsafeRawBufferPointer?
    /// Where libssl 3.0 keeps its own deadline: `next_timeout` of the association.
    var libraryDeadline: UnsafeMutablePointer<timeval>?
    /// When we shall have the last flight sent again.
    var deadline: Instant?
    var timeout = DTLSChannel.firstTimeout
    let mtu: Int
    var expectedFingerprint: DTLSFingerprint?
    /// The verify callback said no.
    var refusedCertificate = false

    init(mtu: Int, expectedFingerprint: DTLSFingerprint?) {
        self.mtu = mtu
        self.expectedFingerprint = expectedFingerprint
    }

    /// libssl started (or, with zero, stopped) its timer: ours runs from now.
    mutating func timerChanged(_ pointer: UnsafeMutablePointer<timeval>) {
        libraryDeadline = pointer
        let isStopped = pointer.pointee.tv_sec == 0 && pointer.pointee.tv_usec == 0
        deadline = isStopped ? nil : now + timeout
    }

    /// libssl asks for a timeout: `previous` is 0 for a new flight.
    mutating func nextTimeout(previous: UInt32) {
        timeout = previous == 0 ? DTLSChannel.firstTimeout : min(timeout * 2, DTLSChannel.longestTimeout)
    }

    /// Our deadline has come: makes libssl's own lie in the past.
    mutating func expire() {
        deadline = nil
        libraryDeadline?.pointee = timeval(tv_sec: 1, tv_usec: 0)
    }
}
