import Synchronization

/// Plays VP8 pictures from an IVF file without decoding or encoding them.
public final class IVFSource: EncodedVideoSource {
    /// `VP8`.
    public let codecName = "VP8"
    /// Pixels of the first picture.
    public var width: Int { file.width }
    /// Pixels of the first picture.
    public var height: Int { file.height }
    /// Pictures a second.
    public let frameRate: Double

    private let file: IVFFile
    private let repeats: Bool
    private let position: Mutex<Int>

    /// Plays a file.
    ///
    /// - Parameters:
    ///   - repeats: whether it starts over at its end.
    ///   - startFraction: where to begin, 0...1 of the file, moved to the key frame after it: load participants that
    ///     share a file begin at different places.
    public init(_ file: IVFFile, repeats: Bool = true, startFraction: Double = 0) {
        self.file = file
        self.repeats = repeats
        frameRate = file.frameRate
        let fraction = min(max(startFraction.isNaN ? 0 : startFraction, 0), 1)
        position = Mutex(Self.keyFrame(in: file, from: Int(fraction * Double(file.frames.count))))
    }

    /// Opens a file.
    public convenience init(path: String, repeats: Bool = true) throws(MediaError) {
        try self.init(IVFFile(path: path), repeats: repeats)
    }

    /// The next picture; nil at the end.
    public func nextFrame(at time: MediaTime) -> EncodedVideoFrame? {
        position.withLock { position in
            if position >= file.frames.count {
                guard repeats else { return nil }
                position = 0
            }
            var frame = file.frames[position]
            frame.captureTime = time
            position += 1
            return frame
        }
    }

    /// Goes on at the next key frame, which may be the first of the file.
    public func requestKeyFrame() {
        position.withLock { $0 = Self.keyFrame(in: file, from: $0) }
    }

    private static func keyFrame(in file: IVFFile, from position: Int) -> Int {
        file.frames.indices.dropFirst(position).first { file.frames[$0].isKeyFrame } ?? 0
    }
}
