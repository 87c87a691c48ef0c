import RTCCore
import RTCWire

/// Decrypts, decodes and shows the frames of one remote track.
// Used by one job at a time: those of a track share a lane, and run in order.
final class PictureDecoder: @unchecked Sendable {
    private let track: RemoteTrack
    private let encryption: FrameEncryption?
    private let decoder: VP8Decoder
    private var opener: FrameOpener?
    private var timeline = CaptureTimeline()

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
        guard let plain = open(frame, participant, now: now) else { return .undecryptable }
        return plain.withUnsafeBytes { decode($0, of: frame) }
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

    private func decode(_ bytes: UnsafeRawBufferPointer, of frame: AssembledVideoFrame) -> DecodedPictures.Outcome {
        track.recording.deliver(bytes, of: frame)
        let time = timeline.time(of: frame.timestamp, arrival: frame.firstArrival)
        let (picture, outcome) = decoder.outcome(of: bytes, captureTime: time)
        if let picture { track.deliver(picture, encoded: bytes, isKeyFrame: frame.isKeyFrame) }
        return outcome
    }
}
