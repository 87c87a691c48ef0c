import RTCCore
import RTCWire

/// One local track that is being sent.
struct SentTrack {
    var audio: AudioSender?
    var video: VideoSender?

    var track: LocalTrack? { audio?.track ?? video?.track }
    var number: TrackNumber? { audio?.number ?? video?.number }
    var ssrcs: [UInt32] { audio.map { [$0.ssrc] } ?? video?.ssrcs ?? [] }
    var nextDeadline: Instant { min(audio?.nextDeadline ?? .distantFuture, video?.nextDeadline ?? .distantFuture) }

    mutating func begin(now: Instant) {
        audio?.begin(now: now)
        video?.begin(now: now)
    }

    mutating func advance(to now: Instant, into work: SessionWork) {
        audio?.advance(to: now, into: work)
        video?.advance(to: now, into: work)
    }

    func count(into statistics: inout SenderStatistics, stream: (UInt32) -> StreamStatistics?) {
        audio?.count(into: &statistics, stream: stream)
        video?.count(into: &statistics, stream: stream)
    }
}

/// The local tracks of a session, by line.
struct SentTracks {
    private(set) var tracks: [SentTrack?] = []
    /// Tracks whose section has not been answered yet, by line.
    private var waiting: [Int: LocalTrack] = [:]
    /// Wishes for those, by line.
    private var activeLayers: [Int: Set<String>] = [:]
    /// Something may be sent. Sources are not read before: a key frame that nobody can be sent yet would be missed.
    private var isOpen = false
    /// When something is due. Asked for after each packet, so it is kept and not looked for.
    private(set) var nextDeadline = Instant.distantFuture

    // MARK: Coming and going

    mutating func add(_ track: LocalTrack, line: Int) { waiting[line] = track }

    /// The track that waits for a line's answer; it waits no longer.
    mutating func takeWaiting(_ line: Int) -> LocalTrack? { waiting.removeValue(forKey: line) }

    /// The connection stands: what waits for it begins now.
    mutating func open(now: Instant, into work: SessionWork) {
        guard !isOpen else { return }
        isOpen = true
        for line in tracks.indices { tracks[line]?.begin(now: now) }
        updateDeadline()
        advance(to: now, into: work)
    }

    mutating func start(_ sent: SentTrack, line: Int, now: Instant) {
        while tracks.count <= line { tracks.append(nil) }
        tracks[line] = sent
        tracks[line]?.begin(now: now)
        updateDeadline()
        if let wanted = activeLayers.removeValue(forKey: line) { tracks[line]?.video?.setActiveLayers(wanted) }
    }

    /// Ends what a line sends; gives its sources.
    mutating func stop(_ line: Int) -> [UInt32] {
        waiting[line] = nil
        activeLayers[line] = nil
        guard tracks.indices.contains(line), let sent = tracks[line] else { return [] }
        tracks[line] = nil
        updateDeadline()
        return sent.ssrcs
    }

    mutating func stopAll() { self = SentTracks() }

    func isSending(_ line: Int) -> Bool { tracks.indices.contains(line) && tracks[line] != nil }

    /// The line of a track whose job has come back; nil where it has ended meanwhile.
    func line(of number: TrackNumber) -> Int? {
        guard tracks.indices.contains(number.line), tracks[number.line]?.number == number else { return nil }
        return number.line
    }

    // MARK: Wishes

    mutating func setActiveLayers(_ rids: Set<String>, line: Int) {
        if isSending(line) {
            tracks[line]?.video?.setActiveLayers(rids)
        } else {
            activeLayers[line] = rids
        }
    }

    mutating func setTargetBitrate(_ bitrate: Int?, line: Int) {
        guard isSending(line) else { return }
        tracks[line]?.video?.setTargetBitrate(bitrate)
    }

    /// Shares what the path bears out among the video tracks that are being sent, in equal parts.
    mutating func share(_ bitrate: Int) {
        let videos = tracks.indices.filter { tracks[$0]?.video.map { !$0.track.isMuted } ?? false }
        for line in videos { tracks[line]?.video?.setTargetBitrate(bitrate / videos.count) }
    }

    mutating func keyFrameRequested(ssrc: UInt32) {
        for line in tracks.indices { tracks[line]?.video?.keyFrameRequested(ssrc: ssrc) }
    }

    // MARK: Time

    mutating func advance(to now: Instant, into work: SessionWork) {
        guard isOpen, nextDeadline <= now else { return }
        for line in tracks.indices { tracks[line]?.advance(to: now, into: work) }
        updateDeadline()
    }

    private mutating func updateDeadline() {
        nextDeadline = .distantFuture
        guard isOpen else { return }
        for line in tracks.indices { nextDeadline = min(nextDeadline, tracks[line]?.nextDeadline ?? .distantFuture) }
    }

    // MARK: Packets

    mutating func send(
        _ sound: [EncodedSound], of number: TrackNumber, by peer: inout Peer, now: Instant, into out: SessionOutbox
    ) {
        guard let line = line(of: number) else { return }
        tracks[line]?.audio?.send(sound, by: &peer, now: now, into: out.network)
        tracks[line]?.advance(to: now, into: out.work)
        updateDeadline()
    }

    mutating func send(
        _ pictures: [EncodedPicture], of number: TrackNumber, by peer: inout Peer, now: Instant, into out: SessionOutbox
    ) {
        guard let line = line(of: number) else { return }
        tracks[line]?.video?.send(pictures, by: &peer, now: now, into: out.network)
        tracks[line]?.advance(to: now, into: out.work)
        updateDeadline()
    }
}
