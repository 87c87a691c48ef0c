import RTCWire

/// Puts the frames sent last in front of each new one (RFC 2198).
struct AudioRedundancy {
    private let payloadType: UInt8
    private let depth: Int
    private var earlier: [RedundantAudio.Frame] = []
    private var buffer = [UInt8](repeating: 0, count: 1500)

    /// - Parameters:
    ///   - payloadType: of the frames themselves.
    ///   - depth: copies in a packet, held to 1...2.
    init(payloadType: UInt8, depth: Int) {
        self.payloadType = payloadType
        self.depth = min(max(depth, 1), 2)
    }

    /// The payload to send for a frame; nil where not even the frame fits.
    ///
    /// - Parameter limit: the longest payload, bytes.
    mutating func wrap(_ payload: [UInt8], timestamp: UInt32, limit: Int) -> [UInt8]? {
        let frame = RedundantAudio.Frame(timestamp: timestamp, payload: payload)
        defer {
            if earlier.count >= depth { earlier.removeFirst(earlier.count - depth + 1) }
            earlier.append(frame)
        }
        let length = buffer.withUnsafeMutableBytes { target in
            RedundantAudio.write(
                frame, after: earlier, payloadType: payloadType,
                into: UnsafeMutableRawBufferPointer(rebasing: target[..<min(target.count, max(0, limit))]))
        }
        return length > 0 ? Array(buffer[..<length]) : nil
    }
}
