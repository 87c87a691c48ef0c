/// What is kept for one source in one direction.
struct SRTPSource {
    /// Indices of RTP sealed or opened.
    var rtp = ReplayWindow()
    /// Indices of RTCP opened.
    var rtcp = ReplayWindow()
    /// The SRTCP index to seal with next, 31 bits. It starts at 1, as libsrtp2's does.
    var nextControlIndex: UInt32 = 1
}

/// The sources of one direction by SSRC, up to a limit. Looking up allocates nothing.
///
/// A source lies in memory of its own that stays where it is for the life of the table, so that a packet reaches its
/// 300 bytes of state by one look-up and copies none of it.
final class SRTPSourceTable {
    private var sources: [UInt32: UnsafeMutablePointer<SRTPSource>] = [:]
    private var lastSSRC: UInt32 = 0
    private var last: UnsafeMutablePointer<SRTPSource>?

    deinit {
        for source in sources.values {
            source.deinitialize(count: 1)
            source.deallocate()
        }
    }

    /// Whether a further source fits.
    var hasRoom: Bool { sources.count < SRTPSession.sourceLimit }

    /// The state of a source, or nil where it is new.
    func known(_ ssrc: UInt32) -> UnsafeMutablePointer<SRTPSource>? {
        if ssrc == lastSSRC, let last { return last }
        guard let source = sources[ssrc] else { return nil }
        (lastSSRC, last) = (ssrc, source)
        return source
    }

    /// The state of a source, made where it is new.
    func source(_ ssrc: UInt32) throws(SRTPRefusal) -> UnsafeMutablePointer<SRTPSource> {
        if let known = known(ssrc) { return known }
        guard hasRoom else { throw .tooManySources }
        let source = UnsafeMutablePointer<SRTPSource>.allocate(capacity: 1)
        source.initialize(to: SRTPSource())
        sources[ssrc] = source
        (lastSSRC, last) = (ssrc, source)
        return source
    }
}
