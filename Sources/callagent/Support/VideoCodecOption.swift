import ArgumentParser
import MediaCore

extension VideoCodec: ExpressibleByArgument {}

/// The codec that pictures are sent in.
struct VideoCodecOption: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "The codec that pictures are sent in; the others must take it. Browsers take all three.")
    var videoCodec = VideoCodec.vp8

    /// Throws `ValidationError` where frames of the codec can't be encrypted.
    func check(_ encryption: EncryptionOption) throws {
        guard videoCodec != .vp8, try encryption.frameEncryption() != nil else { return }
        throw ValidationError(
            "--video-codec \(videoCodec.rawValue): end-to-end encryption takes vp8 only; leave out one of the two.")
    }
}
