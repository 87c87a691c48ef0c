public import MediaCore

/// Something to publish, described in a word: `.testTone(440)`, `.testCard(.hd360)`, `.speech("Good morning")`.
public struct LocalMedia: Sendable {
    /// Width, height and rate of generated pictures.
    public struct VideoFormat: Sendable, Hashable {
        /// Pixels.
        public var width: Int
        /// Pixels.
        public var height: Int
        /// Pictures a second.
        public var frameRate: Double
        /// Bits a second for the encoder.
        public var bitrate: Int

        /// A format from its parts.
        public init(width: Int, height: Int, frameRate: Double = 30, bitrate: Int? = nil) {
            self.width = width
            self.height = height
            self.frameRate = frameRate
            self.bitrate = bitrate ?? max(150_000, Int(Double(width * height) * frameRate * 0.09))
        }

        /// 320x180 at 30 a second.
        public static let hd180 = VideoFormat(width: 320, height: 180)
        /// 640x360 at 30 a second.
        public static let hd360 = VideoFormat(width: 640, height: 360)
        /// 1280x720 at 30 a second.
        public static let hd720 = VideoFormat(width: 1280, height: 720)
    }

    let source: Track.Source
    let makeTrack: @Sendable () throws -> LocalTrack

    init(_ source: Track.Source, _ makeTrack: @escaping @Sendable () throws -> LocalTrack) {
        self.source = source
        self.makeTrack = makeTrack
    }

    /// A sine of `hertz`.
    public static func testTone(_ hertz: Double) -> LocalMedia {
        audio(name: "tone") { ToneSource(frequency: hertz) }
    }

    /// A tone of `hertz` in the first tenth of each second of the clock whose time test cards carry.
    public static func beeps(_ hertz: Double) -> LocalMedia {
        audio(name: "beeps") { BeepSource(frequency: hertz) }
    }

    /// Synthesised speech, spoken over and over.
    public static func speech(_ text: String, voice: SpeechVoice = .all[0]) -> LocalMedia {
        audio(name: "speech") { try SpeechSource(text, voice: voice) }
    }

    /// A WAV file, once. Any rate, one or two channels; 16, 24 or 32 bits or float.
    public static func wav(_ path: String) -> LocalMedia { audio(name: "wav") { try WAVSource(path: path) } }

    /// A moving test card that carries its sender, number and time in machine-readable form.
    ///
    /// - Parameter simulcast: send it in several sizes, of which every receiver gets the one that suits it.
    public static func testCard(
        _ format: VideoFormat, sender: UInt16 = 0, simulcast: Bool = false, codec: VideoCodec = .vp8
    ) -> LocalMedia {
        video(name: "test card", bitrate: format.bitrate, simulcast: simulcast, codec: codec) {
            try TestCardSource(sender: sender, width: format.width, height: format.height, frameRate: format.frameRate)
        }
    }

    /// A Y4M file, over and over.
    public static func y4m(_ path: String, bitrate: Int = 1_000_000) -> LocalMedia {
        video(name: "y4m", bitrate: bitrate) { try Y4MSource(path: path, repeats: true) }
    }

    /// Any source of sound.
    public static func audio(
        name: String, encoding: AudioEncoding = .init(), _ make: @escaping @Sendable () throws -> any AudioSource
    ) -> LocalMedia {
        LocalMedia(.microphone) { LocalTrack(.audio(try wrapped(make), encoding), name: name) }
    }

    /// Any source of pictures.
    ///
    /// - Parameters:
    ///   - bitrate: bits a second of the full size.
    ///   - simulcast: send it in several sizes, of which every receiver gets the one that suits it; a picture below 480
    ///     pixels on its longer side has one size only.
    ///   - codec: see `VideoEncoding.codec`; through a server the others in the call must take it.
    public static func video(
        name: String, bitrate: Int, simulcast: Bool = false, codec: VideoCodec = .vp8,
        _ make: @escaping @Sendable () throws -> any VideoSource
    ) -> LocalMedia {
        LocalMedia(.camera) {
            let source = try wrapped(make)
            let layers =
                simulcast ? VideoLayer.standard(width: source.width, height: source.height, bitrate: bitrate) : []
            let encoding = VideoEncoding(bitrate: bitrate, layers: layers, codec: codec)
            return LocalTrack(.video(source, encoding), name: name)
        }
    }

    private static func wrapped<Source>(_ make: () throws -> Source) throws -> Source {
        do {
            return try make()
        } catch let error as MediaError {
            throw CallError(
                error.kind == .environment ? .environment : .caller, .mediaUnavailable, error.description)
        }
    }
}
