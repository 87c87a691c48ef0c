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

    mutating func advance(to now: Instant, isHeldUp: Bool, into work: SessionWork) {
        audio?.advance(to: now, into: work)
        video?.advance(to: now, isHeldUp: isHeldUp, into: work)
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
    /// So much waits to be sent, or the other side is so silent, that no more pictures are made.
    var isHeldUp = false
    /// The peer paces what is sent.
    var isPaced = false
    /// What was shared out last, in bit/s; nil for no limit.
    private(set) var sharedBitrate: Int?

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
        // A track takes half a kilobyte and more: no room in advance.
        if tracks.count <= line { tracks.reserveCapacity(line + 1) }
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

    /// What all tracks send at most, with all headers, in bit/s; nil where no encoder of pictures can be told a rate, or
    /// pictures come compressed already, which have the rate that they have.
    var wantedBitrate: Int? {
        var sum = 0
        var hasVideo = false
        for line in tracks.indices {
            if let video = tracks[line]?.video {
                guard let wanted = video.wantedBitrate else { return nil }
                sum += wanted
                hasVideo = true
            }
            if let audio = tracks[line]?.audio { sum += audio.wantedBitrate }
        }
        return hasVideo ? sum : nil
    }

    /// Shares what the path bears out: sound gets what it needs, the video tracks that are being sent the rest, in equal
    /// parts.
    mutating func share(_ bitrate: Int?) {
        sharedBitrate = bitrate
        let videos = tracks.indices.filter { tracks[$0]?.video.map { !$0.track.isMuted } ?? false }
        let sound = shareSound(bitrate.map { max(0, $0 - videos.count * SentTracks.leastPictures) })
        let share = bitrate.map { max(0, $0 - sound) / max(videos.count, 1) }
        for line in videos { tracks[line]?.video?.setShare(share, isPaced: isPaced) }
    }

    /// Gives what all sound takes of it.
    private mutating func shareSound(_ bitrate: Int?) -> Int {
        let sounds = tracks.indices.filter { tracks[$0]?.audio.map { !$0.track.isMuted } ?? false }
        let share = isPaced ? bitrate.map { $0 / max(sounds.count, 1) } : nil
        return sounds.reduce(0) { $0 + (tracks[$1]?.audio?.setShare(share, isPathKnown: isPaced) ?? 0) }
    }

    /// What sound leaves to each video at least, bit/s.
    private static let leastPictures = 40_000

    /// A report says that so much of a stream was lost, 0...1. Gives whether the path is to be shared out anew.
    mutating func note(loss: Double, ssrc: UInt32, now: Instant) -> Bool {
        var isChanged = false
        for line in tracks.indices where tracks[line]?.audio?.ssrc == ssrc {
            if tracks[line]?.audio?.note(loss: loss, now: now) == true { isChanged = true }
        }
        return isChanged
    }

    /// Pictures are about to get smaller, which takes a key frame: those before it are of no use.
    var isTooLarge: Bool { tracks.contains { $0?.video?.isTooLarge ?? false } }

    /// What was made so far will not all be sent: pictures begin with key frames that the path bears.
    mutating func beginAnew(now: Instant) {
        for line in tracks.indices { tracks[line]?.video?.beginAnew(now: now) }
    }

    mutating func keyFrameRequested(ssrc: UInt32) {
        for line in tracks.indices { tracks[line]?.video?.keyFrameRequested(ssrc: ssrc) }
    }

    // MARK: Time

    mutating func advance(to now: Instant, into work: SessionWork) {
        guard isOpen, nextDeadline <= now else { return }
        for line in tracks.indices { tracks[line]?.advance(to: now, isHeldUp: isHeldUp, into: work) }
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
        tracks[line]?.advance(to: now, isHeldUp: isHeldUp, into: out.work)
        updateDeadline()
    }

    mutating func send(
        _ pictures: [EncodedPicture], of number: TrackNumber, by peer: inout Peer, now: Instant, into out: SessionOutbox
    ) {
        guard let line = line(of: number) else { return }
        tracks[line]?.video?.send(pictures, by: &peer, now: now, into: out.network)
        tracks[line]?.advance(to: now, isHeldUp: isHeldUp, into: out.work)
        updateDeadline()
    }
}
