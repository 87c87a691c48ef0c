import MediaCore
import Synchronization

/// What load participants publish. All share the pictures.
struct LoadMedia: Sendable {
    /// 640x360 at 30 a second, 600 kbit/s.
    let large: EncodedClip
    /// 160x90 at 15 a second, 60 kbit/s.
    let small: EncodedClip

    init() throws {
        large = try EncodedClip(width: 640, height: 360, frameRate: 30, bitrate: 600_000)
        small = try EncodedClip(width: 160, height: 90, frameRate: 15, bitrate: 60_000)
    }

    /// Sound, a track's own: until a track takes sound that is encoded already, by the cheapest encoder.
    func sound() -> LocalTrack.Media {
        var encoding = AudioEncoding()
        encoding.complexity = 0
        return .audio(ToneSource(frequency: 440), encoding)
    }
}

/// Two seconds of VP8 that begin with a key frame.
struct EncodedClip: Sendable {
    let width: Int
    let height: Int
    let frameRate: Double
    private let frames: [EncodedVideoFrame]

    init(width: Int, height: Int, frameRate: Double, bitrate: Int) throws {
        (self.width, self.height, self.frameRate) = (width, height, frameRate)
        let card = try TestCardSource(sender: 1, width: width, height: height, frameRate: frameRate)
        let encoder = try VP8Encoder(VP8EncoderConfiguration(bitrate: bitrate, frameRate: frameRate))
        frames = try (0..<Int(2 * frameRate)).compactMap { number in
            let time = MediaTime(nanoseconds: Int64(Double(number) / frameRate * 1e9))
            return try card.nextFrame(at: time).map { try encoder.encode($0) { EncodedVideoFrame($0) } }
        }
    }

    /// Plays it in a circle.
    func player() -> any EncodedVideoSource { Player(self) }

    private final class Player: EncodedVideoSource {
        let codecName = "VP8"
        let width: Int
        let height: Int
        let frameRate: Double
        private let frames: [EncodedVideoFrame]
        private let next = Atomic<Int>(0)

        init(_ clip: EncodedClip) {
            (width, height, frameRate, frames) = (clip.width, clip.height, clip.frameRate, clip.frames)
        }

        func nextFrame(at time: MediaTime) -> EncodedVideoFrame? {
            var frame = frames[next.wrappingAdd(1, ordering: .relaxed).oldValue % frames.count]
            frame.captureTime = time
            return frame
        }

        func requestKeyFrame() { next.store(0, ordering: .relaxed) }
    }
}
