import RTCWire

/// How what a server sends to one subscriber is paced.
package struct SubscriberPace: Sendable, Hashable {
    /// What the way to the subscriber is thought to bear, in bit/s.
    package var rate: Int
    /// The way has shown where it ends.
    package var isLimited: Bool
    /// What would wait for longer makes the rest leave faster.
    package var longestWait: Interval

    package init(rate: Int, isLimited: Bool, longestWait: Interval = Pacer.longestWait) {
        self.rate = max(rate, SubscriberPace.least)
        self.isLimited = isLimited
        self.longestWait = longestWait
    }

    /// Of a way of which nothing is known yet: the key frames that a newcomer begins with leave within a tenth of a second,
    /// and not all at once.
    package static let joining = SubscriberPace(rate: 2_000_000, isLimited: false, longestWait: .milliseconds(100))

    private static let least = 30_000
}
