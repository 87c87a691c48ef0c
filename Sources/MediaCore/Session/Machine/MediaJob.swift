import RTCWire

/// Work with codecs, sources and sinks that a session wants done, off its loop or at once.
///
/// Jobs of one lane run one after the other, in the order in which they were made. What comes of one goes back into
/// `SessionMachine.take`.
package struct MediaJob: Sendable {
    /// What a job is about; the drivers choose the thread by it.
    package enum Lane: Sendable, Hashable {
        /// Reads and encodes sound. Due every 20 ms: neither pictures nor sinks may hold it up.
        case sound
        /// Pictures of the track with that number: encoding or decoding them.
        case pictures(Int)
        /// Gives sound to sinks.
        case sinks
    }

    enum Work: Sendable {
        case encodeSound(AudioCoder, AudioOrder)
        case encodePicture(VideoCoder, VideoOrder)
        case decodePicture(PictureDecoder, AssembledVideoFrame)
        case deliver([SoundDelivery])
        case searchKey(@Sendable () -> [UInt8]?)
    }

    package let lane: Lane
    let track: TrackNumber
    let work: Work

    /// Does it.
    ///
    /// - Parameter now: the present time. Pictures are stamped with it and not with the time that was due: latency counts
    ///   from here.
    /// - Returns: what the session is to be told; nil where nobody waits for it.
    package func run(at now: Instant) -> MediaJobResult? {
        switch work {
        case .encodeSound(let coder, let order): .init(track: track, .sound(coder.encode(order)))
        case .encodePicture(let coder, let order): .init(track: track, .pictures(coder.encode(order, now: now)))
        case .decodePicture(let decoder, let frame):
            .init(track: track, .decoded(frame, decoder.decode(frame, now: now), at: now))
        case .deliver(let deliveries): deliver(deliveries)
        case .searchKey(let search): drop(search())
        }
    }

    private func deliver(_ deliveries: [SoundDelivery]) -> MediaJobResult? {
        for delivery in deliveries { delivery.deliver() }
        return nil
    }

    /// What is found counts from the next frame on.
    private func drop(_ found: [UInt8]?) -> MediaJobResult? { nil }

    /// Whether it takes less time than handing it to another thread: media that is encoded already is only taken over.
    package var isLight: Bool {
        switch work {
        case .encodeSound(let coder, _): coder.isEncoded
        case .encodePicture(let coder, _): coder.isEncoded
        case .decodePicture, .deliver, .searchKey: false
        }
    }

    /// Whether it has lately taken hardly more time than handing it to another thread.
    package var isBrief: Bool {
        if case .encodeSound(let coder, let order) = work { order.count == 1 && coder.pace.isBrief } else { false }
    }

    /// Whether `note(duration:)` wants to be told.
    package var isTimed: Bool {
        switch work {
        case .encodeSound(let coder, _): !coder.isEncoded
        case .decodePicture: true
        case .encodePicture, .deliver, .searchKey: false
        }
    }

    /// Takes in how long it took.
    package func note(duration: Interval) {
        switch work {
        case .encodeSound(let coder, let order): coder.pace.note(duration, frames: order.count)
        case .decodePicture(let decoder, _): decoder.note(duration: duration)
        case .encodePicture, .deliver, .searchKey: break
        }
    }

    /// Whether somebody waits for the result alone, and not for those of other jobs.
    package var isUrgent: Bool { if case .encodePicture = work { true } else { false } }
}

/// Names a sent or received track of one session: a line may carry several after each other, and a result may come late.
struct TrackNumber: Sendable, Hashable {
    let line: Int
    let serial: Int
}

/// What came of a job.
package struct MediaJobResult: Sendable {
    enum Outcome: Sendable {
        case sound([EncodedSound])
        case pictures([EncodedPicture])
        case decoded(AssembledVideoFrame, DecodedPictures.Outcome, at: Instant)
    }

    let track: TrackNumber
    let outcome: Outcome

    /// Whether something is done about it at once, and not only counted.
    package var isAwaited: Bool {
        switch outcome {
        case .decoded(_, .picture, _), .decoded(_, .filler, _), .decoded(_, .hidden, _): false
        case .decoded, .sound, .pictures: true
        }
    }

    init(track: TrackNumber, _ outcome: Outcome) {
        self.track = track
        self.outcome = outcome
    }
}
