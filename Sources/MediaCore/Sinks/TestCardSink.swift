import Synchronization

/// What a receiver saw of a sender's test card.
public struct TestCardReport: Sendable, Hashable {
    /// Pictures received.
    public var framesReceived = 0
    /// Pictures whose card could be read, the expected sender's.
    public var framesRead = 0
    /// Pictures without a readable card.
    public var unreadable = 0
    /// Pictures too small for a card: the black ones with which a server ends a track that was muted or withdrawn.
    public var blank = 0
    /// Pictures of another sender.
    public var wrongSender = 0
    /// Pictures with the number of the one before, and its size.
    public var duplicates = 0
    /// Pictures with the number of the one before in another size: where a server changes layers, it may send the key
    /// frames of both, made of one capture.
    public var otherLayers = 0
    /// Pictures with a lower number than the one before.
    public var outOfOrder = 0
    /// Numbers left out between the first and the last picture, but for those of `damaged`.
    public var missing = 0
    /// Pictures that came in place of numbers left out, and could not be read.
    public var damaged = 0
    /// The number of the first and the last picture read.
    public var first: UInt32?, last: UInt32?
    /// The first gaps, for messages.
    public var gaps: [ClosedRange<UInt32>] = []
    /// From capture to arrival at the sink.
    public var latency = LatencyHistogram()
    /// When pictures with new numbers came.
    public var showing = PictureShowing()

    /// Makes an empty report.
    public init() {}
}

/// Reads the test card of each picture and keeps account of numbers and latency.
public final class TestCardSink: VideoSink {
    private let state: Mutex<State>

    fileprivate struct State {
        var sender: UInt16?
        var report = TestCardReport()
        var expectsGap = false
        /// Of the picture before.
        var width = 0
        /// Since the last picture that was read.
        var unreadable = 0
    }

    /// - Parameter expectedSender: whose pictures should come; nil takes the first reading's sender.
    public init(expectedSender: UInt16? = nil) { state = Mutex(State(sender: expectedSender)) }

    private static let blankSide = 16

    /// What was seen so far.
    public var report: TestCardReport { state.withLock { $0.report } }

    /// What comes next may begin at any number: the track was not received for a while.
    public func expectGap() { state.withLock { $0.expectsGap = true } }

    /// Reads one picture, now.
    public func receive(_ frame: VideoFrame) { receive(frame, at: .now) }

    /// Reads one picture that arrived at `now`.
    public func receive(_ frame: VideoFrame, at now: MediaTime) {
        guard !frame.isFiller, frame.width > TestCardSink.blankSide || frame.height > TestCardSink.blankSide else {
            return state.withLock { $0.report.blank += 1 }
        }
        let reading = TestCardReader.read(frame)
        state.withLock {
            $0.count(reading, width: frame.width, at: now)
            $0.width = frame.width
        }
    }
}

extension TestCardSink.State {
    fileprivate mutating func count(_ reading: TestCardReading?, width: Int, at now: MediaTime) {
        report.framesReceived += 1
        guard let reading else {
            report.unreadable += 1
            unreadable += 1
            return
        }
        sender = sender ?? reading.sender
        guard reading.sender == sender else {
            report.wrongSender += 1
            return
        }
        report.framesRead += 1
        report.latency.record(seconds: reading.latency(at: now))
        defer { (expectsGap, unreadable) = (false, 0) }
        if reading.frameNumber > report.last ?? 0 || report.last == nil { report.showing.note(now) }
        if expectsGap, report.last != nil { return report.last = reading.frameNumber }
        report.count(reading.frameNumber, isResized: width != self.width, unreadable: unreadable)
    }
}

extension TestCardReport {
    private static let gapLimit = 64

    fileprivate mutating func count(_ number: UInt32, isResized: Bool, unreadable: Int) {
        guard let last else {
            first = number
            self.last = number
            return
        }
        if number == last {
            if isResized { otherLayers += 1 } else { duplicates += 1 }
        } else if number < last {
            outOfOrder += 1
        } else {
            if number - last > 1 {
                let leftOut = Int(number - last - 1)
                damaged += min(leftOut, unreadable)
                missing += max(0, leftOut - unreadable)
                if gaps.count < Self.gapLimit { gaps.append(last + 1...number - 1) }
            }
            self.last = number
        }
    }
}
