import RTCWire

/// RTO, RFC 9260 section 6.3.1: smoothed round-trip time plus four variances, within bounds; doubled for every expiry.
struct RetransmissionTimeout {
    private(set) var smoothed: Interval?
    private var variance = Interval.zero
    private let initial: Interval
    private let minimum: Interval
    private let maximum: Interval
    private(set) var current: Interval

    init(_ configuration: SCTPConfiguration) {
        minimum = configuration.minimumRTO
        maximum = configuration.maximumRTO
        initial = min(configuration.initialRTO, configuration.maximumRTO)
        current = initial
    }

    /// Takes a measured round trip in (rules C2 to C7).
    mutating func measure(_ trip: Interval) {
        guard trip >= .zero else { return }
        if let old = smoothed {
            let difference = trip < old ? old - trip : trip - old
            variance = variance * 0.75 + difference * 0.25
            smoothed = old * 0.875 + trip * 0.125
        } else {
            smoothed = trip
            variance = trip / 2
        }
        current = measured
    }

    private var measured: Interval {
        guard let smoothed else { return initial }
        return Swift.min(Swift.max(smoothed + variance * 4, minimum), maximum)
    }

    /// What made the timer run out so often is known to be over.
    mutating func restore() { current = measured }

    /// A timer ran out (rule E2 of section 6.3.3).
    mutating func backOff() { current = min(current * 2, maximum) }
}
