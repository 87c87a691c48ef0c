import ArgumentParser
import LoadCore

/// What is published in a load test, and how it is shown.
struct LoadMediaOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Bits a second of the full picture: 600k, 1.5M.", valueName: "bitrate"))
    var video: Bitrate?

    @Option(name: .long, parsing: .unconditional, help: "Size of the pictures: high, medium, low, or WxH@FPS.")
    var videoResolution = LoadResolution.medium

    @OptionGroup var codec: VideoCodecOption

    @Flag(name: .long, help: "Send pictures in one size only.")
    var noSimulcast = false

    @Flag(name: .long, help: "Every publisher runs encoders of its own.")
    var encode = false

    @Option(
        name: .long, parsing: .unconditional,
        help: "How subscribers show a room, which says what they receive, and how large: speaker, 3x3, 4x4 or 5x5.")
    var layout = LoadLayout.speaker

    @Flag(name: .long, help: "Publishers take turns in speaking, as people do, and send nothing while they are silent.")
    var simulateSpeakers = false

    @Option(
        name: .long, parsing: .unconditional, help: "So many subscribers decode what they get, and read the test card.")
    var decode = 1

    func validate() throws {
        guard (0...1000).contains(decode) else { throw ValidationError("--decode \(decode): use 0 to 1000.") }
    }

    var format: LoadMedia.Format {
        let size = videoResolution.format
        return LoadMedia.Format(
            width: size.width, height: size.height, frameRate: size.frameRate,
            bitrate: video?.bits ?? videoResolution.bitrate, isSimulcast: !noSimulcast,
            codec: codec.videoCodec, encodes: encode)
    }
}
