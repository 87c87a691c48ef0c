import RTCCore
import RTCWire
import Synchronization

/// Decrypts, decodes and shows the frames of one remote track.
// Used by one job at a time: those of a track share a lane, and run in order.
final class PictureDecoder: @unchecked Sendable {
    private let track: RemoteTrack
    private let encryption: FrameEncryption?
    /// Of the codec that comes at present.
    private var decoder: any PictureCodec
    private var codec = MediaCodec.vp8
    private var opener: FrameOpener?
    private var timeline = CaptureTimeline()
    /// What decoding has taken, ns: all frames, and the latest. Read from the session's loop.
    private let taken = Atomic<Int64>(0)
    private let latest = Atomic<Int64>(0)

    init(_ track: RemoteTrack, _ encryption: FrameEncryption?) throws(MediaError) {
        self.track = track
        self.encryption = encryption
        decoder = try VP8Decoder()
    }

    func decode(_ frame: AssembledVideoFrame, now: Instant) -> DecodedPictures.Outcome {
        guard let gate = FrameGate(track.protection, hasKeys: encryption != nil) else {
            return track.protection == .unknown ? .held : .undecryptable
        }
        guard case .encrypted(let participant) = gate else { return decode(frame.bytes, of: frame) }
        // How frames of other codecs are sealed nothing here knows.
        guard frame.codec == .vp8 else { return .undecryptable }
        guard let plain = open(frame, participant, now: now) else { return .undecryptable }
        return plain.withUnsafeBytes { decode($0, of: frame) }
    }

    /// What the latest frame took; zero where nobody measured it.
    var duration: Interval { Interval(nanoseconds: latest.load(ordering: .relaxed)) }
    /// What all have taken.
    var totalDuration: Interval { Interval(nanoseconds: taken.load(ordering: .relaxed)) }

    func note(duration: Interval) {
        latest.store(duration.nanoseconds, ordering: .relaxed)
        taken.wrappingAdd(duration.nanoseconds, ordering: .relaxed)
    }

    private func open(_ frame: AssembledVideoFrame, _ participant: String, now: Instant) -> [UInt8]? {
        guard let encryption else { return nil }
        let opener = self.opener ?? FrameOpener(encryption, participant: participant, codec: .vp8)
        self.opener = opener
        switch opener.open(frame.bytes) {
        case .opened(let plain), .injected(let plain): return plain
        case .noKey: return nil
        case .failed:
            guard opener.maySearch(now: now) else { return nil }
            return opener.search(Array(frame.bytes))()
        }
    }

    /// A sender may change its codec between two frames; a decoder of it begins with a key frame.
    private func select(_ wanted: MediaCodec) -> Bool {
        guard wanted != codec else { return true }
        guard let fresh = try? wanted.makeDecoder() else { return false }
        (codec, decoder) = (wanted, fresh)
        return true
    }

    private func decode(_ bytes: UnsafeRawBufferPointer, of frame: AssembledVideoFrame) -> DecodedPictures.Outcome {
        track.recording.deliver(bytes, of: frame)
        guard select(frame.codec) else { return .undecodable }
        let time = timeline.time(of: frame.timestamp, arrival: frame.firstArrival)
        let (picture, outcome) = decoder.outcome(of: bytes, codec, captureTime: time)
        if var picture {
            picture.renderTime = MediaTime(nanoseconds: frame.renderTime.nanoseconds)
            track.deliver(picture, encoded: bytes, isKeyFrame: frame.isKeyFrame, isUnseen: frame.isUnseen)
        }
        return outcome
    }
}
