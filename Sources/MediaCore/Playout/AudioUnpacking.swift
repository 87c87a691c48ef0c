import RTCWire

/// From RTP payloads to frames in a jitter buffer.
enum AudioUnpacking {
    /// Hands a payload to the buffer; of one with copies (RFC 2198) the present frame first, so that its copies are known
    /// to be older.
    static func insert<Decoder: PlayoutDecoder>(
        _ payload: UnsafeRawBufferPointer, isRED: Bool, timestamp: UInt32, sequence: Int64, ssrc: UInt32,
        arrival: Instant, into buffer: AudioJitterBuffer<Decoder>
    ) {
        guard isRED else {
            return buffer.insert(payload, timestamp: timestamp, sequence: sequence, ssrc: ssrc, arrival: arrival)
        }
        guard let red = try? RedundantAudio(parsing: payload.bytes) else {
            return buffer.insertUnreadable()
        }
        for index in (0...red.copies).reversed() {
            guard let block = red.block(index, in: payload.bytes) else { continue }
            let frame = UnsafeRawBufferPointer(rebasing: payload[block.range])
            if block.distance == 0 {
                buffer.insert(frame, timestamp: timestamp, sequence: sequence, ssrc: ssrc, arrival: arrival)
            } else {
                buffer.insertCopy(
                    frame, timestamp: timestamp &- block.timestampOffset,
                    sequence: sequence - Int64(block.distance), arrival: arrival)
            }
        }
    }
}
