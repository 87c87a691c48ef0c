import RTCCore
import RTCWire

/// Puts the frames sent last in front of each new one (RFC 2198).
struct AudioRedundancy {
    /// Of the frames themselves.
    let payloadType: UInt8
    /// Copies in a packet at most.
    static let deepest = CopyDemand.most
    /// Copies in the packets to come, 0...2.
    var depth: Int {
        didSet { depth = min(max(depth, 0), AudioRedundancy.deepest) }
    }
    private var earlier: [RedundantAudio.Frame] = []
    private var buffer = [UInt8](repeating: 0, count: 1500)

    /// - Parameters:
    ///   - payloadType: of the frames themselves.
    ///   - depth: copies in a packet, held to 0...2.
    init(payloadType: UInt8, depth: Int) {
        self.payloadType = payloadType
        self.depth = min(max(depth, 0), AudioRedundancy.deepest)
    }

    /// The payload to send for a frame; nil where it is to be sent as it is: without copies, or because it would not fit with
    /// their headers.
    ///
    /// - Parameter limit: the longest payload, bytes.
    mutating func wrap(_ payload: [UInt8], timestamp: UInt32, limit: Int) -> [UInt8]? {
        let frame = RedundantAudio.Frame(timestamp: timestamp, payload: payload)
        defer {
            // Kept without copies too: the first packet that wants some has them.
            if earlier.count >= AudioRedundancy.deepest { earlier.removeFirst() }
            earlier.append(frame)
        }
        guard depth > 0 else { return nil }
        let copies = earlier.suffix(depth)
        let length = buffer.withUnsafeMutableBytes { target in
            RedundantAudio.write(
                frame, after: copies, payloadType: payloadType,
                into: UnsafeMutableRawBufferPointer(rebasing: target[..<min(target.count, max(0, limit))]))
        }
        return length > 0 ? Array(buffer[..<length]) : nil
    }
}
