import MediaCore
import Synchronization

/// Draws test cards, and remembers when each was handed over: the drawing is not in the time.
final class TimedCardSource: VideoSource {
    let width = MediaContent.width
    let height = MediaContent.height
    let frameRate = MediaContent.frameRate
    private let card: TestCardSource
    /// By the number that the card shows.
    private let handed = Mutex<[MediaTime]>([])

    init() throws {
        card = try TestCardSource(
            sender: 1, width: MediaContent.width, height: MediaContent.height, frameRate: MediaContent.frameRate)
    }

    /// Cards handed over so far.
    var count: Int { handed.withLock { $0.count } }

    func nextFrame(at time: MediaTime) -> VideoFrame? {
        let picture = card.nextFrame(at: time)
        handed.withLock { $0.append(.now) }
        return picture
    }

    /// When the card of that number was handed over.
    func time(of number: Int) -> MediaTime? {
        handed.withLock { $0.indices.contains(number) ? $0[number] : nil }
    }
}

/// Reads the number of each decoded card, and keeps how long it was on its way.
final class TimedCardSink: VideoSink {
    private let source: TimedCardSource
    private let latencies = Mutex<[Int: Double]>([:])

    init(_ source: TimedCardSource) { self.source = source }

    func receive(_ frame: VideoFrame) {
        // Before the card is read, which takes a while.
        let now = MediaTime.now
        guard let reading = TestCardReader.read(frame) else { return }
        let number = Int(reading.frameNumber)
        guard let start = source.time(of: number) else { return }
        latencies.withLock { $0[number] = Double(now.nanoseconds - start.nanoseconds) / 1e6 }
    }

    /// Whether no card has come yet.
    var isEmpty: Bool { latencies.withLock { $0.isEmpty } }

    /// Milliseconds of those cards of `numbers` that have come.
    func milliseconds(of numbers: Range<Int>) -> [Double] {
        latencies.withLock { all in numbers.compactMap { all[$0] } }
    }
}
