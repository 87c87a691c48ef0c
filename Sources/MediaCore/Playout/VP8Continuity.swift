import RTCWire

/// Whether a VP8 frame refers to released frames only (RFC 7741).
///
/// Without temporal layers each frame refers to the one before. With them, a frame of layer 0 refers to the last one of
/// layer 0 (TL0PICIDX counts these), and one with the sync bit to nothing else either; all other frames refer to
/// everything before them.
struct VP8Continuity {
    /// Last sequence number that is dealt with.
    private(set) var lastSequence: Int64 = .min
    private var pictureID: UInt16?
    private var tl0PicIdx: UInt8?
    /// Sequence numbers without payload behind `lastSequence`.
    private var fillers: [Int64] = []

    private static let maximumFillers = 64

    /// A packet without payload fills a place in the sequence.
    mutating func fill(_ sequence: Int64) {
        guard sequence > lastSequence, !fillers.contains(sequence) else { return }
        if fillers.count == Self.maximumFillers { fillers.removeFirst() }
        fillers.append(sequence)
    }

    /// The number that the next frame begins with, unless frames are missing.
    var nextSequence: Int64 {
        var next = lastSequence &+ 1
        while fillers.contains(next) { next &+= 1 }
        return next
    }

    /// Nothing is missing between the last released frame and this one.
    func follows(_ frame: FrameAssembly) -> Bool {
        if frame.start == nextSequence { return true }
        guard let own = frame.descriptor.pictureID, let last = pictureID, frame.start != nil else { return false }
        return own == (last &+ 1) & frame.descriptor.pictureIDWidth.mask
    }

    /// Although frames are missing, this one can do without them.
    func canSkip(to frame: FrameAssembly) -> Bool {
        guard frame.start != nil else { return false }
        if frame.isKeyFrame { return true }
        guard let own = frame.descriptor.tl0PicIdx, let last = tl0PicIdx, let layer = frame.descriptor.temporalID
        else { return false }
        return layer == 0 ? own == last &+ 1 : frame.descriptor.isLayerSync && own == last
    }

    /// The frame goes to the decoder.
    mutating func release(_ frame: FrameAssembly) {
        pictureID = frame.descriptor.pictureID
        // Only layer 0 moves the index on; a higher layer repeats it.
        if frame.descriptor.temporalID ?? 0 == 0 || frame.isKeyFrame { tl0PicIdx = frame.descriptor.tl0PicIdx }
        pass(frame.lastSequence)
    }

    /// Everything up to `sequence` is dealt with.
    mutating func pass(_ sequence: Int64) {
        guard sequence > lastSequence else { return }
        lastSequence = sequence
        fillers.removeAll { $0 <= sequence }
    }
}
