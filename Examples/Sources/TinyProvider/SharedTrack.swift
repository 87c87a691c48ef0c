import CallBridge
import MediaCore
import Synchronization

/// A published track, whose one source feeds the connections with everybody who wants it.
final class SharedTrack {
    let track: LocalTrack
    private let copies: () -> LocalTrack

    /// Throws `CallError` for media that can't be shared.
    init(_ track: LocalTrack) throws(CallError) {
        self.track = track
        let (id, name) = (track.id, track.name)
        switch track.media {
        case .audio(let source, let encoding):
            let shared = SharedSound(source)
            copies = { LocalTrack(.audio(SharedSound.Reader(shared), encoding), id: id, name: name) }
        case .video(let source, let encoding):
            let shared = SharedPictures(source)
            // One size for each receiver: nobody stands between who could choose among several.
            let single = VideoEncoding(bitrate: encoding.bitrate)
            copies = { LocalTrack(.video(SharedPictures.Reader(shared), single), id: id, name: name) }
        case .encodedAudio, .encodedVideo:
            throw CallError(
                .caller, .featureUnavailable,
                "the provider TINY encodes for each receiver; publish media that is not encoded yet")
        }
    }

    /// A track for one receiver, muted as the published one is.
    func copy() -> LocalTrack {
        let copy = copies()
        copy.isMuted = track.isMuted
        return copy
    }
}

/// A source of sound with several readers. Whoever reads first pulls the source; the others get the same samples.
final class SharedSound: Sendable {
    private struct Log {
        var samples: [Int16] = []
        var first = 0
        var hasEnded = false
    }

    private let source: any AudioSource
    private let log = Mutex(Log())

    init(_ source: any AudioSource) { self.source = source }

    final class Reader: AudioSource {
        private let shared: SharedSound
        private let position: Mutex<Int>
        var channels: Int { shared.source.channels }

        /// Reads from now on.
        init(_ shared: SharedSound) {
            self.shared = shared
            position = Mutex(shared.log.withLock { $0.first + $0.samples.count })
        }

        func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
            position.withLock { shared.read(into: samples, at: &$0) } / channels
        }
    }

    private func read(into samples: UnsafeMutableBufferPointer<Int16>, at position: inout Int) -> Int {
        log.withLock { log in
            position = max(position, log.first)
            while !log.hasEnded, log.first + log.samples.count < position + samples.count { pull(samples.count, &log) }
            let start = position - log.first
            let count = min(samples.count, log.samples.count - start)
            for index in 0..<count { samples[index] = log.samples[start + index] }
            position += count
            return count
        }
    }

    private func pull(_ count: Int, _ log: inout Log) {
        var chunk = [Int16](repeating: 0, count: count)
        let written = chunk.withUnsafeMutableBufferPointer { source.read(into: $0) } * source.channels
        log.hasEnded = written < count
        log.samples += chunk.prefix(written)
        // One second is kept for readers that are behind.
        let surplus = log.samples.count - 48_000 * source.channels
        guard surplus > 48_000 else { return }
        log.samples.removeFirst(surplus)
        log.first += surplus
    }
}

/// A source of pictures with several readers, likewise.
final class SharedPictures: Sendable {
    private struct Log {
        var frames: [VideoFrame] = []
        var first = 0
        var hasEnded = false
    }

    private static let kept = 30
    private let source: any VideoSource
    private let log = Mutex(Log())

    init(_ source: any VideoSource) { self.source = source }

    final class Reader: VideoSource {
        private let shared: SharedPictures
        private let position: Mutex<Int>
        var width: Int { shared.source.width }
        var height: Int { shared.source.height }
        var frameRate: Double { shared.source.frameRate }

        /// Reads from now on.
        init(_ shared: SharedPictures) {
            self.shared = shared
            position = Mutex(shared.log.withLock { $0.first + $0.frames.count })
        }

        func nextFrame(at time: MediaTime) -> VideoFrame? {
            position.withLock { shared.frame(at: &$0, time) }
        }
    }

    private func frame(at position: inout Int, _ time: MediaTime) -> VideoFrame? {
        log.withLock { log in
            position = max(position, log.first)
            if position == log.first + log.frames.count {
                guard !log.hasEnded, let frame = source.nextFrame(at: time) else {
                    log.hasEnded = true
                    return nil
                }
                log.frames.append(frame)
                if log.frames.count > Self.kept {
                    log.frames.removeFirst()
                    log.first += 1
                }
            }
            defer { position += 1 }
            return log.frames[position - log.first]
        }
    }
}
