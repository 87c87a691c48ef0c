import LoadCore
import MediaCore
import Synchronization

/// Plays clips of pictures over and over, each frame with a stamp. Each stream of a simulcast has a place of its own: where a
/// key frame is asked for, it goes on at the next one.
final class StampedVideoSource: EncodedSimulcastSource {
    let codecName: String
    let width: Int
    let height: Int
    let frameRate: Double
    /// None where there is one stream.
    let layers: [VideoLayer]
    private let clips: [LoadMedia.Clip]
    private let truth: SentTruth
    private let places: Mutex<[Int]>

    /// - Parameter start: 0...1 of the clips: publishers of one clip begin at different places.
    init(_ media: LoadMedia, _ truth: SentTruth, start: Double) {
        (width, height, frameRate) = (media.format.width, media.format.height, media.format.frameRate)
        codecName = media.format.codec.name
        clips = media.pictures
        layers = clips.count > 1 ? clips.map(\.layer) : []
        self.truth = truth
        places = Mutex(clips.map { $0.keyFrame(from: Int(start * Double($0.frames.count))) })
    }

    func nextFrame(at time: MediaTime) -> EncodedVideoFrame? { frame(0, at: time) }
    func requestKeyFrame() { jump(0) }

    func nextFrame(of rid: String, at time: MediaTime) -> EncodedVideoFrame? {
        index(of: rid).flatMap { frame($0, at: time) }
    }

    func requestKeyFrame(of rid: String) { if let index = index(of: rid) { jump(index) } }

    private func index(of rid: String) -> Int? { clips.firstIndex { $0.layer.rid == rid } }

    private func jump(_ index: Int) { places.withLock { $0[index] = clips[index].keyFrame(from: $0[index]) } }

    private func frame(_ index: Int, at time: MediaTime) -> EncodedVideoFrame? {
        guard !truth.isPaused else { return nil }
        let clip = clips[index]
        let place = places.withLock { places in
            let place = places[index] < clip.frames.count ? places[index] : 0
            places[index] = place + 1
            return place
        }
        var frame = clip.frames[place]
        let isUnits = codecName == VideoCodec.h264.name
        let stamp = truth.next(
            layer: UInt8(index), clip: place,
            bytes: frame.payload.count + (isUnits ? StampUnit.length : MediaStamp.length),
            isKeyFrame: frame.isKeyFrame, interval: 1 / min(frameRate, clip.layer.maximumFramesPerSecond),
            at: time.nanoseconds)
        frame.payload = stamp.stamped(picture: frame.payload, isUnits: isUnits)
        frame.captureTime = time
        return frame
    }
}

/// Plays encoded speech over and over, each packet with a stamp; silence is left out.
final class StampedAudioSource: EncodedAudioSource {
    let codecName = "opus"
    private let frames: [EncodedAudioFrame]
    private let truth: SentTruth
    private let clock: MediaClock
    private let place: Mutex<Int>

    init(_ frames: [EncodedAudioFrame], _ truth: SentTruth, start: Double, clock: MediaClock = .system) {
        self.frames = frames
        self.truth = truth
        self.clock = clock
        place = Mutex(Int(start * Double(frames.count)))
    }

    func nextFrame() -> EncodedAudioFrame? {
        guard !truth.isPaused else { return nil }
        let place = place.withLock { place in
            defer { place = (place + 1) % frames.count }
            return place % frames.count
        }
        guard !truth.isSilent else { return EncodedAudioFrame(payload: [], level: 127) }
        var frame = frames[place]
        let stamp = truth.next(
            layer: 0, clip: place, bytes: frame.payload.count + MediaStamp.length + 2, isKeyFrame: false,
            interval: 0.02, at: clock.now.nanoseconds)
        frame.payload = stamp.stamped(sound: frame.payload) ?? frame.payload
        return frame
    }
}
