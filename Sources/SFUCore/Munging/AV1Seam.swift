import RTCWire

/// Sews the layers of one AV1 picture together for a subscriber without dependency descriptors.
///
/// Such a receiver finds frames by the aggregation header alone (AV1 RTP specification, section 4.4): where Z is 0 a frame
/// begins, where Y is 0 one ends. It would take every spatial layer for a picture of its own, and libwebrtc then shows none
/// of them. So the last packet of a lower layer says that its last element goes on, and the first packet of the layer above
/// begins with the rest of that element: no bytes.
///
/// ```
///  layer 0, last packet      layer 1, first packet
///  |Z=0 Y=0|OBU|             |Z=0 Y=0 W=1|OBU|                   as it came
///  |Z=0 Y=1|OBU|             |Z=1 Y=0 W=2|length 0|OBU|          as it leaves
/// ```
struct AV1Seam {
    /// The packet begins a layer whose picture has begun before.
    let isJoined: Bool
    /// The packet ends a layer above which another one is to come.
    let goesOn: Bool

    init(isJoined: Bool, goesOn: Bool) {
        self.isJoined = isJoined
        self.goesOn = goesOn
    }

    /// Nil where the packet stays as it is.
    init?(of frame: DependencyDescriptor, endsPicture: Bool) {
        isJoined = frame.startsFrame && frame.isInterLayerPredicted
        goesOn = frame.endsFrame && !endsPicture
        if !isJoined, !goesOn { return nil }
    }

    /// Writes the new beginning of a payload: up to two bytes.
    ///
    /// - Returns: the bytes written, and how many of the payload they stand for. None where there is no payload.
    func write(
        _ payload: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
    ) -> (length: Int, replaced: Int) {
        guard var header = payload.first else { return (0, 0) }
        if goesOn { header |= AV1Seam.goesOnBit }
        let elements = header >> 4 & 3
        // Three elements with an implied length can't become four.
        guard isJoined, header & AV1Seam.continuesBit == 0, elements < 3 else {
            buffer[0] = header
            return (1, 1)
        }
        // Nothing that continues an element begins a coded video sequence.
        header = (header | AV1Seam.continuesBit) & ~AV1Seam.startsSequenceBit
        if elements > 0 { header += 0x10 }
        buffer[0] = header
        buffer[1] = 0
        return (2, 1)
    }

    private static let continuesBit: UInt8 = 0x80
    private static let goesOnBit: UInt8 = 0x40
    private static let startsSequenceBit: UInt8 = 0x08
}

extension DependencyDescriptor {
    /// The frame refers to a lower layer of its own picture. The layers of a picture have successive numbers.
    var isInterLayerPredicted: Bool {
        for index in 0..<referenceCount where references[index] <= UInt16(spatialID) { return true }
        return false
    }
}
