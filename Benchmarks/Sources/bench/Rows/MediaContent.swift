import MediaCore
import Synchronization

/// What is encoded: pictures drawn beforehand, and speech.
struct MediaContent: Sendable {
    static let frameRate = 30.0
    static let width = 640
    static let height = 360

    let pictures: [VideoFrame]

    /// Draws two seconds of pictures.
    init() throws {
        let card = try TestCardSource(
            sender: 1, width: MediaContent.width, height: MediaContent.height, frameRate: MediaContent.frameRate)
        pictures = (0..<60).compactMap { number in
            card.nextFrame(at: MediaTime(nanoseconds: Int64(number) * 33_333_333))
        }
    }

    func speech() throws -> any AudioSource {
        try SpeechSource("The quick brown fox jumps over the lazy dog while the band plays on.")
    }

    func video() -> any VideoSource { PicturesInMemory(pictures) }
}

/// Plays pictures in a circle: nothing is drawn while the clock runs.
private final class PicturesInMemory: VideoSource {
    let width = MediaContent.width
    let height = MediaContent.height
    let frameRate = MediaContent.frameRate
    private let pictures: [VideoFrame]
    private let next = Atomic<Int>(0)

    init(_ pictures: [VideoFrame]) { self.pictures = pictures }

    func nextFrame(at time: MediaTime) -> VideoFrame? {
        var picture = pictures[next.wrappingAdd(1, ordering: .relaxed).oldValue % pictures.count]
        picture.captureTime = time
        return picture
    }
}
