import RTCWire

/// How much the other side really gets, in bit/s: what arrives in short windows, weighed by how far it strays from what
/// is believed (the estimator of libwebrtc's acknowledged bitrate).
struct AcknowledgedRate {
    private static let firstWindow = Interval.milliseconds(500)
    private static let window = Interval.milliseconds(150)
    private static let firstVariance = 50.0

    /// Nil until the first window is full.
    private(set) var bitrate: Double?
    /// Of the latest window that was full.
    private var latest: Double?
    /// In (kbit/s) squared.
    private var variance = AcknowledgedRate.firstVariance
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

    /// A queue is full and most of what is sent is dropped there: what came lately is all that the path bears, whatever it
    /// bore before.
    mutating func collapse() {
        guard let latest, let bitrate, latest < bitrate / 2 else { return }
        self.bitrate = latest
        variance = AcknowledgedRate.firstVariance
    }

    private mutating func note(_ sample: Double) {
        latest = sample
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
