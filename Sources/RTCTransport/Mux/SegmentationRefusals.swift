import RTCWire

/// Destinations to which the kernel does not cut a send into segments: the route's MTU lies below the segment, or the
/// route's interface can't do it. Other destinations are not concerned.
///
/// A refusal is forgotten after a while, since routes change. When too many stand here the oldest gives way, which costs
/// one failed call.
struct SegmentationRefusals {
    private struct Refusal {
        var destination: TransportAddress
        /// The least segment that was refused, in bytes: shorter ones may pass.
        var segmentSize: Int
        var until: Instant
    }

    static let limit = 256
    static let duration = Interval.seconds(30)
    private var refusals: [Refusal] = []

    var count: Int { refusals.count }

    /// Whether segments of that size to `destination` were refused lately.
    mutating func contains(_ destination: TransportAddress, segmentSize: Int, now: Instant) -> Bool {
        guard !refusals.isEmpty, let index = refusals.firstIndex(where: { $0.destination == destination }) else {
            return false
        }
        guard now < refusals[index].until else {
            refusals.remove(at: index)
            return false
        }
        return segmentSize >= refusals[index].segmentSize
    }

    mutating func add(_ destination: TransportAddress, segmentSize: Int, now: Instant) {
        var refusal = Refusal(
            destination: destination, segmentSize: segmentSize, until: now + SegmentationRefusals.duration)
        if let index = refusals.firstIndex(where: { $0.destination == destination }) {
            refusal.segmentSize = min(segmentSize, refusals.remove(at: index).segmentSize)
        }
        if refusals.count >= SegmentationRefusals.limit { refusals.removeFirst() }
        refusals.append(refusal)
    }
}
