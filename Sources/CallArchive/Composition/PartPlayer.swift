import MediaCore

/// Decodes one stream's recording along the archive's time.
final class PartPlayer {
    let part: Composition.Part
    /// The picture of the moment; nil before the first and after the last.
    private(set) var picture: VideoFrame?
    /// Frames that were no sound or picture.
    private(set) var undecodable = 0

    private let reader: MatroskaReader
    private let video: VP8Decoder
    private var sound: SoundLane
    private var pending: MatroskaReader.Frame?

    /// Throws where the file can't be read.
    init(_ part: Composition.Part) throws(MediaError) {
        self.part = part
        reader = try MatroskaReader(path: part.path)
        video = try VP8Decoder()
        sound = try SoundLane()
        pending = reader.next()
    }

    /// Decodes all that was captured before `time`; true where the picture has changed.
    func advance(to time: Int64) -> Bool {
        var isChanged = false
        while let frame = pending, part.begins + frame.milliseconds < time {
            switch reader.codecs[frame.track] {
            case .opus: sound.add(frame.payload, at: part.begins + frame.milliseconds)
            case .vp8: if show(frame) { isChanged = true }
            default: undecodable += 1
            }
            pending = reader.next()
        }
        if time > part.ends, picture != nil {
            picture = nil
            isChanged = true
        }
        return isChanged
    }

    /// The samples of a span, mono; as many as there are.
    func read(from time: Int64, count: Int, into samples: inout [Int16]) {
        sound.read(from: time, count: count, &samples)
    }

    private func show(_ frame: MatroskaReader.Frame) -> Bool {
        guard let decoded = try? frame.payload.withUnsafeBytes({ try video.decode($0) }) else {
            undecodable += 1
            return false
        }
        picture = decoded
        return true
    }
}

/// The sound of one stream on the archive's time: what was decoded, in its place, mono at 48 kHz.
struct SoundLane {
    /// Samples a millisecond.
    private static let rate: Int64 = 48
    /// A packet that lies less than this from the end of the one before follows it without a seam: file times are whole
    /// milliseconds.
    private static let tolerance: Int64 = 10 * rate

    private let decoder: OpusDecoder
    private var room = [Int16](repeating: 0, count: OpusDecoder.maximumFrameCount)
    private var samples: [Int16] = []
    /// Place of the first of `samples`.
    private var start: Int64 = 0

    init() throws(MediaError) { decoder = try OpusDecoder() }

    mutating func add(_ packet: [UInt8], at milliseconds: Int64) {
        let decoded = packet.withUnsafeBytes { bytes in
            room.withUnsafeMutableBufferPointer { try? decoder.decode(bytes, into: $0) }
        }
        guard let decoded else { return }
        let place = milliseconds * Self.rate
        let end = start + Int64(samples.count)
        if samples.isEmpty {
            start = abs(place - end) < Self.tolerance ? end : place
        } else if place - end > Self.tolerance {
            samples.append(contentsOf: repeatElement(0, count: Int(place - end)))
        }
        samples.append(contentsOf: room[..<decoded])
    }

    /// Takes out the samples of a span, and forgets what lies before.
    mutating func read(from milliseconds: Int64, count: Int, _ output: inout [Int16]) {
        let place = milliseconds * Self.rate
        output.removeAll(keepingCapacity: true)
        let old = min(max(0, place - start), Int64(samples.count))
        samples.removeFirst(Int(old))
        start += old
        let silence = min(max(0, start - place), Int64(count))
        output.append(contentsOf: repeatElement(0, count: Int(silence)))
        guard !samples.isEmpty else { return }
        let taken = min(count - Int(silence), samples.count)
        output.append(contentsOf: samples[..<taken])
        samples.removeFirst(taken)
        start += Int64(taken)
    }
}
