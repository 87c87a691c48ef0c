import RTCWire

/// What one direction of a network path does to datagrams.
package struct NetworkConditions: Sendable {
    /// Losses in bursts (Gilbert-Elliott): good and bad times take turns, of exponentially distributed length.
    package struct Bursts: Sendable {
        package var meanGood: Interval
        package var meanBad: Interval
        /// Share of datagrams lost in bad times, 0...1.
        package var loss: Double

        package init(meanGood: Interval, meanBad: Interval, loss: Double = 1) {
            self.meanGood = meanGood
            self.meanBad = meanBad
            self.loss = loss
        }
    }

    /// Least one-way delay.
    package var delay = Interval.zero
    /// Further delay, uniform in 0...jitter, that changes every 5 ms. By itself it keeps the order of datagrams.
    package var jitter = Interval.zero
    /// Share of datagrams lost independently, 0...1.
    package var loss = 0.0
    package var bursts: Bursts?
    /// Share of datagrams that come twice, the second one `duplicateDelay` later.
    package var duplication = 0.0
    package var duplicateDelay = Interval.milliseconds(1)
    /// Share of datagrams held back by `reorderDelay`, so that later ones overtake them.
    package var reordering = 0.0
    package var reorderDelay = Interval.milliseconds(10)
    /// Bits a second that pass, nil for no limit; what exceeds it waits in a queue.
    package var rate: Int?
    /// Longest stay in that queue; a datagram that would wait longer is dropped.
    package var queue = Interval.milliseconds(200)
    /// Times in which nothing passes.
    package var blackouts: [Range<Instant>] = []
    /// The same, counted from the weather's beginning.
    package var outages: [NetworkOutage] = []
    /// Rate, delay, jitter and loss as they were recorded, in place of those above where it has them.
    package var trace: NetworkTrace?
    /// When the bottleneck can send, in place of `rate`.
    package var deliveries: DeliveryTrace?

    /// Whether it changes at times that count from a beginning.
    package var hasTimes: Bool { !outages.isEmpty || trace != nil || deliveries != nil }

    /// A path that changes nothing.
    package init() {}

    package init(delay: Interval, jitter: Interval = .zero, loss: Double = 0) {
        self.delay = delay
        self.jitter = jitter
        self.loss = loss
    }
}
