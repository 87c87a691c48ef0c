import RTCCore
import RTCWire

/// One remote track that is being received.
struct ReceivedTrack {
    let track: RemoteTrack
    var audio: AudioReceiver?
    var video: VideoReceiver?

    /// The SSRC that its packets came with last.
    var ssrc: UInt32? { audio?.ssrc ?? video?.ssrc }
    var number: TrackNumber? { audio?.number ?? video?.number }

    mutating func update(codecs: [NegotiatedCodec]) {
        audio?.update(codecs: codecs)
        video?.update(codecs: codecs)
    }

    func count(into statistics: inout ReceiverStatistics, now: Instant) {
        audio?.count(into: &statistics)
        video?.count(into: &statistics, now: now)
    }
}

/// The remote tracks of a session, by line: a flat array, because packets look here.
struct ReceivedTracks {
    private(set) var tracks: [ReceivedTrack?] = []
    /// What those had counted that have ended; only `endedReceivers` is used.
    private(set) var ended = SessionStatistics()
    /// When a receiver of pictures may want to be asked again, at the soonest. Asked for after each packet, so it is kept
    /// and not looked for.
    private(set) var nextDeadline = Instant.distantFuture
    /// Lines of pictures, and of the sound of the same sender.
    private var pairs: [(video: Int, audio: Int)] = []

    // MARK: Coming and going

    subscript(line: Int) -> RemoteTrack? { tracks.indices.contains(line) ? tracks[line]?.track : nil }

    mutating func set(_ track: ReceivedTrack?, line: Int) {
        while tracks.count <= line { tracks.append(nil) }
        tracks[line] = track
        pair()
    }

    private mutating func pair() {
        pairs.removeAll()
        for video in tracks.indices where tracks[video]?.video != nil {
            guard let group = tracks[video]?.track.syncGroup else { continue }
            let audio = tracks.indices.first { tracks[$0]?.audio != nil && tracks[$0]?.track.syncGroup == group }
            if let audio { pairs.append((video, audio)) }
        }
    }

    mutating func update(codecs: [NegotiatedCodec], line: Int) { tracks[line]?.update(codecs: codecs) }

    /// Lets go of a receiver and keeps what it has counted.
    mutating func end(_ line: Int, counted: ReceiverStatistics?) {
        guard tracks.indices.contains(line) else { return }
        tracks[line] = nil
        pair()
        if let counted { ended.addEnded([counted]) }
    }

    // MARK: Packets

    /// A media packet; gives a source whose key frame is to be asked for.
    mutating func receive(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, into work: SessionWork) -> UInt32? {
        let line = packet.line
        guard line >= 0, line < tracks.count else { return nil }
        let payload = UnsafeRawBufferPointer(rebasing: buffer[packet.payload])
        tracks[line]?.audio?.receive(packet, payload: payload, into: work)
        defer { noteDeadline(of: line) }
        return tracks[line]?.video?.receive(packet, payload: payload, into: work) ?? nil
    }

    private mutating func noteDeadline(of line: Int) {
        if let deadline = tracks[line]?.video?.nextDeadline { nextDeadline = min(nextDeadline, deadline) }
    }

    /// A frame has been decoded, or refused; gives a source whose key frame is to be asked for.
    mutating func take(
        _ outcome: DecodedPictures.Outcome, of frame: AssembledVideoFrame, _ number: TrackNumber, at time: Instant,
        now: Instant, into work: SessionWork
    ) -> UInt32? {
        guard tracks.indices.contains(number.line), tracks[number.line]?.number == number else { return nil }
        defer { noteDeadline(of: number.line) }
        return tracks[number.line]?.video?.take(outcome, of: frame, at: time, now: now, into: work) ?? nil
    }

    /// A sender has told its clock.
    mutating func note(_ clock: SenderClock, of ssrc: UInt32, roundTrip: Interval?) {
        for line in tracks.indices where tracks[line]?.ssrc == ssrc {
            tracks[line]?.track.recording.clock.withLock { $0 = clock }
            tracks[line]?.audio?.note(clock, roundTrip: roundTrip)
            tracks[line]?.video?.note(clock, roundTrip: roundTrip)
        }
    }

    // MARK: Time

    /// Asks those whose time has come; gives sources whose key frames are to be asked for.
    mutating func advance(to now: Instant, into work: SessionWork) -> [UInt32] {
        guard nextDeadline <= now else { return [] }
        nextDeadline = .distantFuture
        var wanted: [UInt32] = []
        for line in tracks.indices {
            if let ssrc = tracks[line]?.video?.advance(to: now, into: work) ?? nil { wanted.append(ssrc) }
            noteDeadline(of: line)
        }
        return wanted
    }

    /// Plays the next 20 ms of all sound.
    mutating func play(_ due: Instant, into playout: inout PlayoutClock) -> [SoundDelivery] {
        var deliveries: [SoundDelivery] = []
        for line in tracks.indices where tracks[line]?.audio != nil {
            if let delivery = tracks[line]?.audio?.play(now: due) { deliveries.append(delivery) }
            guard let level = tracks[line]?.audio?.takeLevel(), let track = tracks[line]?.track else { continue }
            playout.note(level, of: track, at: due)
        }
        synchronize(at: due)
        return deliveries
    }

    /// Where a sender's pictures and its sound have drifted apart, one of them waits.
    private mutating func synchronize(at now: Instant) {
        for (video, audio) in pairs {
            guard let sound = tracks[audio]?.audio?.lag,
                let delay = tracks[video]?.video?.synchronize(with: sound, at: now)
            else { continue }
            tracks[audio]?.audio?.wait(delay)
        }
    }
}
