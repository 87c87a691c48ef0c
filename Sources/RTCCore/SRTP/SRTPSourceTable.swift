/// What is kept for one source in one direction.
struct SRTPSource {
    let ssrc: UInt32
    /// Indices of RTP sealed or opened.
    var rtp = ReplayWindow()
    /// Indices of RTCP opened.
    var rtcp = ReplayWindow()
    /// The SRTCP index to seal with next, 31 bits. It starts at 1, as libsrtp2's does.
    var nextControlIndex: UInt32 = 1
    /// Used again since the search for a place last came by.
    var isRecent = false

    init(ssrc: UInt32) { self.ssrc = ssrc }

    /// A source that comes back: nothing up to its highest indices is taken or used again.
    init(ssrc: UInt32, _ retired: RetiredSRTPSource) {
        self.init(ssrc: ssrc)
        rtp = ReplayWindow(behind: retired.rtp)
        rtcp = ReplayWindow(behind: retired.rtcp)
        nextControlIndex = retired.nextControlIndex
    }
}

/// What is left of a source that gave its place to another: its highest indices, roll-over counter included.
struct RetiredSRTPSource {
    var rtp: UInt64?
    var rtcp: UInt64?
    var nextControlIndex: UInt32

    init(_ source: SRTPSource) {
        rtp = source.rtp.highest
        rtcp = source.rtcp.highest
        nextControlIndex = source.nextControlIndex
    }
}

/// The sources of one direction by SSRC. Looking up allocates nothing.
///
/// A source lies in memory of its own that stays where it is for the life of the table, so that a packet reaches its
/// 300 bytes of state by one look-up and copies none of it. Where all places are taken, a source that has not been used
/// for the longest while (by the clock algorithm) retires: 30 bytes of it stay, so that no index is ever taken, or
/// sealed, twice, and its roll-over counter is known when it comes back.
final class SRTPSourceTable {
    private var sources: [UInt32: UnsafeMutablePointer<SRTPSource>] = [:]
    private var retired: [UInt32: RetiredSRTPSource] = [:]
    /// All sources, in a circle.
    private var places: [UnsafeMutablePointer<SRTPSource>] = []
    private var hand = 0
    /// The sources of the two latest look-ups: sound and pictures take turns.
    private var latest: (ssrc: UInt32, source: UnsafeMutablePointer<SRTPSource>)?
    private var other: (ssrc: UInt32, source: UnsafeMutablePointer<SRTPSource>)?
    private let limit: Int
    private let retiredLimit: Int
    /// The source that retired last, until `takeEvicted`.
    private var evicted: UInt32?
    /// More sources have retired than can be told from new ones.
    private(set) var hasForgotten = false

    init(limit: Int = SRTPSession.sourceLimit, retiredLimit: Int) {
        self.limit = limit
        self.retiredLimit = retiredLimit
    }

    deinit {
        for source in places {
            source.deinitialize(count: 1)
            source.deallocate()
        }
    }

    /// The state of a source, or nil where it is new or retired.
    @inline(__always)
    func known(_ ssrc: UInt32) -> UnsafeMutablePointer<SRTPSource>? {
        if let latest, latest.ssrc == ssrc { return latest.source }
        return find(ssrc)
    }

    private func find(_ ssrc: UInt32) -> UnsafeMutablePointer<SRTPSource>? {
        guard let found = other?.ssrc == ssrc ? other?.source : sources[ssrc] else { return nil }
        found.pointee.isRecent = true
        remember(ssrc, found)
        return found
    }

    private func remember(_ ssrc: UInt32, _ source: UnsafeMutablePointer<SRTPSource>) {
        other = latest
        latest = (ssrc, source)
    }

    /// What was kept of a source that retired.
    func retired(_ ssrc: UInt32) -> RetiredSRTPSource? { retired[ssrc] }

    /// The state of a source, made where it is new.
    func source(_ ssrc: UInt32) -> UnsafeMutablePointer<SRTPSource> {
        if let known = known(ssrc) { return known }
        let state = retired.removeValue(forKey: ssrc).map { SRTPSource(ssrc: ssrc, $0) } ?? SRTPSource(ssrc: ssrc)
        let source = place()
        source.initialize(to: state)
        sources[ssrc] = source
        remember(ssrc, source)
        return source
    }

    /// The source that gave its place away in the last call of `source`.
    func takeEvicted() -> UInt32? {
        defer { evicted = nil }
        return evicted
    }

    /// Memory for one more source, uninitialized.
    private func place() -> UnsafeMutablePointer<SRTPSource> {
        if places.count < limit {
            let source = UnsafeMutablePointer<SRTPSource>.allocate(capacity: 1)
            places.append(source)
            return source
        }
        while places[hand].pointee.isRecent {
            places[hand].pointee.isRecent = false
            hand = (hand + 1) % places.count
        }
        let source = places[hand]
        hand = (hand + 1) % places.count
        retire(source.move())
        return source
    }

    private func retire(_ source: SRTPSource) {
        sources[source.ssrc] = nil
        evicted = source.ssrc
        (latest, other) = (nil, nil)
        guard retired.count < retiredLimit else {
            hasForgotten = true
            return
        }
        retired[source.ssrc] = RetiredSRTPSource(source)
    }
}
