public import MediaCore
import Synchronization

/// A track for several connections: each encodes it for itself, and all read its one source.
///
/// For providers without a server in between. Video has one size on each connection, for nobody stands between who could
/// choose among several.
public final class SharedTrack: Sendable {
    /// As it was made.
    public let track: LocalTrack
    private let make: @Sendable () -> LocalTrack

    /// Throws `CallError` for media that is encoded already and can't be shared.
    public init(_ track: LocalTrack) throws(CallError) {
        self.track = track
        switch track.media {
        case .audio(let source, let encoding):
            let shared = SharedSound(source)
            make = { track.copy(.audio(SharedSound.Reader(shared), encoding)) }
        case .video(let source, let encoding):
            let shared = SharedPictures(source)
            var single = encoding
            single.bitrate = encoding.layers.map(\.bitrate).max() ?? encoding.bitrate
            single.layers = []
            make = { [single] in track.copy(.video(SharedPictures.Reader(shared), single)) }
        case .encodedAudio, .encodedVideo:
            throw CallError(
                .caller, .featureUnavailable,
                "media is encoded for each receiver here; publish what is not encoded yet, or go through a server")
        }
    }

    /// A track for one more connection, which reads from now on and is muted as this one is.
    public func copy() -> LocalTrack {
        let copy = make()
        copy.isMuted = track.isMuted
        return copy
    }
}

/// A source of sound with several readers. Whoever reads first pulls the source; the others get the same samples.
private final class SharedSound: Sendable {
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
private final class SharedPictures: Sendable {
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
