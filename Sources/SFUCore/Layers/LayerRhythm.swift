import RTCWire

/// Whether a layer of a simulcast is still sent. A sender that lacks bandwidth stops its larger layers without a word; one
/// that shows a still screen sends all of them, but seldom. So silence counts only where it is long by the layer's own
/// rhythm and the other layers have gone on meanwhile.
struct LayerRhythm {
    /// When its latest packet came.
    private(set) var last: Instant
    /// Its pictures.
    private(set) var pictures = 0
    private var timestamp: UInt32?
    private var lastPicture: Instant
    /// The usual time between two pictures.
    private var interval = Interval.zero
    /// The other layers' pictures by the time of its latest packet.
    private var others = 0

    init(now: Instant) {
        last = now
        lastPicture = now
    }

    /// Takes a packet in; `others` counts the pictures of the other layers so far.
    mutating func note(timestamp: UInt32, others: Int, now: Instant) {
        last = now
        self.others = others
        guard timestamp != self.timestamp else { return }
        let gap = min(max(now - lastPicture, .zero), LayerRhythm.longestGap)
        if pictures > 0 { interval = pictures == 1 ? gap : interval + (gap - interval) * 0.25 }
        self.timestamp = timestamp
        lastPicture = now
        pictures += 1
    }

    /// - Parameters:
    ///   - others: the pictures of the other layers so far.
    ///   - siblings: how many other layers there are.
    func isAlive(_ now: Instant, others: Int, siblings: Int) -> Bool {
        if now - last < max(LayerRhythm.silence, interval * Double(LayerRhythm.missedPictures)) { return true }
        return others - self.others < LayerRhythm.missedPictures * siblings || siblings == 0
    }

    /// No layer is taken for stopped sooner.
    private static let silence = Interval.milliseconds(500)
    /// Of one capture the pictures of all layers come within a moment, in any order: one or two pictures of another layer
    /// say nothing.
    private static let missedPictures = 3
    private static let longestGap = Interval.seconds(5)
}
