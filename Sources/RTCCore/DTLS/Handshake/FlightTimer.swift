import RTCWire

/// The flight that waits for its answer and the timer that sends it again, RFC 6347 section 4.2.4.
struct FlightTimer {
    /// First timeout and its cap. RFC 6347 section 4.2.4.1 says 1 s; WebRTC's paths were measured by ICE.
    static let firstTimeout = Interval.milliseconds(50)
    static let longestTimeout = Interval.milliseconds(3200)
    /// So often a flight goes out in full datagrams; then in smaller ones, which a path with a small MTU lets through
    /// (section 4.1.1.1).
    private static let fullSizedAttempts = 4
    private static let cautiousMTU = 548

    private let mtu: Int
    private var flight: Flight?
    private var timeout = FlightTimer.firstTimeout
    private var attempts = 0
    private var lastSent = Instant.zero
    /// When `repeatFlight` wants to be called.
    private(set) var deadline: Instant?

    init(mtu: Int) { self.mtu = mtu }

    /// Sends a new flight; the one before it has been answered.
    mutating func send(_ flight: Flight, _ records: inout RecordLayer, _ way: DTLSWay) {
        self.flight = flight
        timeout = FlightTimer.firstTimeout
        attempts = 0
        transmit(&records, way)
    }

    /// The deadline has come: sends the flight again and waits twice as long.
    mutating func expire(_ records: inout RecordLayer, _ way: DTLSWay) {
        timeout = min(timeout * 2, FlightTimer.longestTimeout)
        transmit(&records, way)
    }

    /// The peer has sent its own flight again, so ours got lost. Anybody can pretend that: no sooner than the shortest
    /// timeout allows.
    mutating func peerRepeated(_ records: inout RecordLayer, _ way: DTLSWay) {
        if way.now - lastSent >= FlightTimer.firstTimeout { transmit(&records, way) }
    }

    /// Sends the flight again without a reason of time.
    mutating func sendAgain(_ records: inout RecordLayer, _ way: DTLSWay) { transmit(&records, way) }

    private mutating func transmit(_ records: inout RecordLayer, _ way: DTLSWay) {
        guard let flight else { return }
        attempts += 1
        let size = attempts > FlightTimer.fullSizedAttempts ? min(mtu, FlightTimer.cautiousMTU) : mtu
        flight.send(&records, mtu: size, to: way)
        lastSent = way.now
        deadline = way.now + timeout
    }
}
