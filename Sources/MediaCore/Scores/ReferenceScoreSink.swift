import Synchronization

/// Scores a track against known sound as it is played.
public final class ReferenceScoreSink: AudioSink {
    private let score: Mutex<ReferenceScore>

    /// - Parameters:
    ///   - reference: what the track's sender says.
    ///   - place: where in it the track begins.
    public init(_ reference: ReferenceSound, place: ReferenceScore.Place = .anywhere) {
        score = Mutex(ReferenceScore(reference, place: place))
    }

    /// Takes in a frame.
    public func receive(_ frame: AudioFrame) {
        score.withLock { score in
            frame.samples.withUnsafeBufferPointer { score.append($0, channels: frame.channels) }
        }
    }

    /// What it comes to so far; nil before a second of sound.
    public var opinion: ReferenceOpinion? { score.withLock { $0 }.opinion }
}
