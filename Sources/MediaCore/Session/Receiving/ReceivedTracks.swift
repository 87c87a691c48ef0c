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

/// The remote tracks of a session, by line.
struct ReceivedTracks {
    /// One behind the other, for each takes a kilobyte and more, and half of the lines have none: we send on them.
    private var tracks: [ReceivedTrack] = []
    /// Where each line's track stands; nil where none is received. A flat array, because packets look here.
    private var places: [Int?] = []
    /// What those had counted that have ended; only `endedReceivers` is used.
    private(set) var ended = SessionStatistics()
    /// When a receiver of pictures may want to be asked again, at the soonest. Asked for after each packet, so it is kept
    /// and not looked for.
    private(set) var nextDeadline = Instant.distantFuture
    /// Places of pictures, and of the sound of the same sender.
    private var pairs: [(video: Int, audio: Int)] = []

    // MARK: Coming and going

    /// All lines that have had a track.
    var lines: Range<Int> { places.indices }

    subscript(line: Int) -> ReceivedTrack? { place(line).map { tracks[$0] } }

    private func place(_ line: Int) -> Int? { places.indices.contains(line) ? places[line] : nil }

    mutating func set(_ track: ReceivedTrack, line: Int) {
        if let place = place(line) {
            tracks[place] = track
        } else {
            while places.count <= line { places.append(nil) }
            places[line] = tracks.count
            tracks.reserveCapacity(tracks.count + 1 + tracks.count / 4)
            tracks.append(track)
        }
        pair()
    }

    private mutating func pair() {
        pairs.removeAll()
        for video in tracks.indices where tracks[video].video != nil {
            guard let group = tracks[video].track.syncGroup else { continue }
            let audio = tracks.indices.first { tracks[$0].audio != nil && tracks[$0].track.syncGroup == group }
            if let audio { pairs.append((video, audio)) }
        }
    }

    mutating func update(codecs: [NegotiatedCodec], line: Int) {
        if let place = place(line) { tracks[place].update(codecs: codecs) }
    }

    /// Lets go of a receiver and keeps what it has counted.
    mutating func end(_ line: Int, counted: ReceiverStatistics?) {
        guard let place = place(line) else { return }
        tracks.remove(at: place)
        places[line] = nil
        for line in places.indices { places[line] = places[line].map { $0 > place ? $0 - 1 : $0 } }
        pair()
        if let counted { ended.addEnded([counted]) }
    }

    // MARK: Packets

    /// A media packet; gives a source whose key frame is to be asked for.
    mutating func receive(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, into work: SessionWork) -> UInt32? {
        guard let place = place(packet.line) else { return nil }
        let payload = UnsafeRawBufferPointer(rebasing: buffer[packet.payload])
        tracks[place].audio?.receive(packet, payload: payload, into: work)
        defer { noteDeadline(ofPlace: place) }
        return tracks[place].video?.receive(packet, payload: payload, into: work) ?? nil
    }

    private mutating func noteDeadline(ofPlace place: Int) {
        if let deadline = tracks[place].video?.nextDeadline { nextDeadline = min(nextDeadline, deadline) }
    }

    /// A frame has been decoded, or refused; gives a source whose key frame is to be asked for.
    mutating func take(
        _ outcome: DecodedPictures.Outcome, of frame: AssembledVideoFrame, _ number: TrackNumber, at time: Instant,
        now: Instant, into work: SessionWork
    ) -> UInt32? {
        guard let place = place(number.line), tracks[place].number == number else { return nil }
        defer { noteDeadline(ofPlace: place) }
        return tracks[place].video?.take(outcome, of: frame, at: time, now: now, into: work) ?? nil
    }

    /// A sender has told its clock.
    mutating func note(_ clock: SenderClock, of ssrc: UInt32, roundTrip: Interval?) {
        for place in tracks.indices where tracks[place].ssrc == ssrc {
            tracks[place].track.recording.clock.withLock { $0 = clock }
            tracks[place].audio?.note(clock, roundTrip: roundTrip)
            tracks[place].video?.note(clock, roundTrip: roundTrip)
        }
    }

    // MARK: Time

    /// Asks those whose time has come; gives sources whose key frames are to be asked for.
    mutating func advance(to now: Instant, into work: SessionWork) -> [UInt32] {
        guard nextDeadline <= now else { return [] }
        nextDeadline = .distantFuture
        var wanted: [UInt32] = []
        for place in tracks.indices {
            if let ssrc = tracks[place].video?.advance(to: now, into: work) ?? nil { wanted.append(ssrc) }
            noteDeadline(ofPlace: place)
        }
        return wanted
    }

    /// Plays the next 20 ms of all sound.
    mutating func play(_ due: Instant, into playout: inout PlayoutClock) -> [SoundDelivery] {
        var deliveries: [SoundDelivery] = []
        for place in tracks.indices where tracks[place].audio != nil {
            if let delivery = tracks[place].audio?.play(now: due) { deliveries.append(delivery) }
            guard let level = tracks[place].audio?.takeLevel() else { continue }
            playout.note(level, of: tracks[place].track, at: due)
        }
        synchronize(at: due)
        return deliveries
    }

    /// Where a sender's pictures and its sound have drifted apart, one of them waits.
    private mutating func synchronize(at now: Instant) {
        for (video, audio) in pairs {
            guard let sound = tracks[audio].audio?.lag,
                let delay = tracks[video].video?.synchronize(with: sound, at: now)
            else { continue }
            tracks[audio].audio?.wait(delay)
        }
    }
}
