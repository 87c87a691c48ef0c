/// Where a local audio track gets its samples.
///
/// One reader at a time pulls, in step with its own clock; a source never blocks and never runs ahead.
public protocol AudioSource: AnyObject, Sendable {
    /// 1 or 2, fixed for the life of the source.
    var channels: Int { get }

    /// Writes interleaved 48 kHz samples.
    ///
    /// - Parameter samples: as many samples as the reader wants, a multiple of ``channels``.
    /// - Returns: samples per channel written. Fewer than asked for means that the source has ended; 0 from then on.
    func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int
}

extension AudioSource {
    /// Fills a frame whose channel count is ``channels``; what lies beyond the end of the source becomes silence.
    ///
    /// - Returns: samples per channel that came from the source.
    @discardableResult
    public func read(into frame: inout AudioFrame) -> Int {
        frame.samples.withUnsafeMutableBufferPointer { buffer in
            let written = read(into: buffer) * channels
            if written < buffer.count { buffer[written...].update(repeating: 0) }
            return written / channels
        }
    }
}
