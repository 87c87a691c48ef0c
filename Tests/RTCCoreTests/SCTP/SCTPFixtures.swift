import RTCWire

@testable import RTCCore

extension Instant {
    /// So many milliseconds after the origin.
    static func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }
}

extension DataChunk {
    /// A chunk of so many equal bytes.
    static func test(
        _ tsn: UInt32 = 0, stream: UInt16 = 0, sequence: UInt16 = 0, size: Int = 10, isUnordered: Bool = false,
        isBeginning: Bool = true, isEnd: Bool = true
    ) -> DataChunk {
        DataChunk(
            tsn: tsn, stream: stream, streamSequence: sequence, protocolID: 53,
            payload: [UInt8](repeating: UInt8(truncatingIfNeeded: tsn), count: size), isUnordered: isUnordered,
            isBeginning: isBeginning, isEnd: isEnd)
    }
}

extension SackChunk {
    static func test(_ cumulative: UInt32, _ gaps: [ClosedRange<UInt16>] = [], window: UInt32 = 1 << 20) -> SackChunk {
        SackChunk(
            cumulativeTSN: cumulative, receiverWindow: window,
            gapBlocks: gaps.map { .init(start: $0.lowerBound, end: $0.upperBound) })
    }
}

extension OutgoingMessage {
    static func test(_ stream: UInt16, _ size: Int, isUnordered: Bool = false) -> OutgoingMessage {
        OutgoingMessage(
            stream: stream, protocolID: 53, payload: (0..<size).map { UInt8(truncatingIfNeeded: $0) },
            isUnordered: isUnordered)
    }
}
