import RTCWire

/// How much the other side really gets, in bit/s: what arrives in short windows, weighed by how far it strays from what
/// is believed (the estimator of libwebrtc's acknowledged bitrate).
struct AcknowledgedRate {
    private static let firstWindow = Interval.milliseconds(500)
    private static let window = Interval.milliseconds(150)

    /// Nil until the first window is full.
    private(set) var bitrate: Double?
    /// In (kbit/s) squared.
    private var variance = 50.0
    private var bytes = 0
    private var start: Instant?

    /// Takes in a packet that arrived; packets come in about the order of their arrival.
    mutating func add(_ size: Int, received: Instant) {
        let begin = start ?? received
        start = begin
        let length = bitrate == nil ? AcknowledgedRate.firstWindow : AcknowledgedRate.window
        let elapsed = received - begin
        // After a pause the windows begin anew: silence is no capacity.
        if elapsed < .zero || elapsed > .seconds(1) {
            start = received
            bytes = size
            return
        }
        if elapsed >= length {
            note(Double(bytes * 8) / elapsed.seconds)
            start = received
            bytes = 0
        }
        bytes += size
    }

    private mutating func note(_ sample: Double) {
        guard let old = bitrate else {
            bitrate = sample
            return
        }
        let strangeness = 10 * abs(old - sample) / max(old, 1)
        let sampleVariance = max(strangeness * strangeness, 0.01)
        let predicted = variance + 5
        bitrate = max(0, (sampleVariance * old + predicted * sample) / (sampleVariance + predicted))
        variance = sampleVariance * predicted / (sampleVariance + predicted)
    }
}
