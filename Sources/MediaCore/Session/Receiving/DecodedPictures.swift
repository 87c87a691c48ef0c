import RTCWire

/// What a decoder made of one track's pictures.
package struct DecodedPictures: Sendable {
    /// What came of a frame.
    package enum Outcome: Sendable {
        case picture(width: Int, height: Int)
        /// The server's, at the end of a track.
        case filler
        /// It only prepares later ones (RFC 6386 section 9.1, `show_frame`).
        case hidden
        case undecodable
        /// No key, or one that doesn't fit.
        case undecryptable
        /// It may be encrypted: signalling hasn't said so yet.
        case held
    }

    private var frames = 0
    /// Of those, the ones that need no other.
    package private(set) var keyFrames = 0
    private var fillers = 0
    private var undecodable = 0
    private var undecryptable = 0
    private var held = 0
    private var first: Instant?
    private var size = (width: 0, height: 0)

    package init() {}

    /// Takes in a frame's outcome; false where only a key frame helps on.
    package mutating func note(_ outcome: Outcome, isKeyFrame: Bool = false, at time: Instant) -> Bool {
        switch outcome {
        case .picture(let width, let height):
            frames += 1
            if isKeyFrame { keyFrames += 1 }
            first = first ?? time
            size = (width, height)
        case .filler: fillers += 1
        case .hidden: break
        case .undecodable: undecodable += 1
        case .undecryptable: undecryptable += 1
        case .held: held += 1
        }
        return switch outcome {
        case .picture, .filler, .hidden: true
        case .undecodable, .undecryptable, .held: false
        }
    }

    /// Adds what was counted; `created` is when the track was subscribed.
    package func count(
        _ buffer: VideoPlayoutStatistics, since created: Instant, into statistics: inout ReceiverStatistics
    ) {
        statistics.framesReceived = buffer.framesReceived - fillers
        statistics.framesDecoded = frames
        statistics.framesDropped = buffer.framesDropped + undecodable
        statistics.framesUndecryptable = undecryptable
        statistics.framesHeld = held
        statistics.framesUndecodable = undecodable + buffer.packetsUnreadable
        statistics.fillersReceived = fillers
        statistics.firstFrameMilliseconds = first.map { ($0 - created).milliseconds }
        (statistics.width, statistics.height) = size
    }
}

extension PictureCodec {
    /// Decodes a frame, and says what came of it.
    package func outcome(
        of bytes: UnsafeRawBufferPointer, _ codec: MediaCodec = .vp8, captureTime: MediaTime
    ) -> (picture: VideoFrame?, DecodedPictures.Outcome) {
        do {
            guard var picture = try decode(bytes, captureTime: captureTime) else {
                // Other codecs hide frames among those that are shown.
                let isShown = codec == .vp8 && (try? VP8FrameHeader(parsing: bytes.bytes))?.isShown ?? true
                return (nil, isShown ? .undecodable : .hidden)
            }
            guard codec == .vp8, FillerPicture.matches(bytes, picture) else {
                return (picture, .picture(width: picture.width, height: picture.height))
            }
            picture.isFiller = true
            return (picture, .filler)
        } catch {
            return (nil, .undecodable)
        }
    }
}
