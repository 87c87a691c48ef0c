import ArgumentParser
import CallBridge

/// What `ring` and `answer` publish, and what the person there hears and sees.
struct RingMediaOptions: ParsableArguments {
    @OptionGroup var media: MediaOptions
    @OptionGroup var speech: SpeechOptions
    @OptionGroup var listening: ListeningOptions

    @Option(name: .long, parsing: .unconditional, help: "A folder for what is received: WAV and Y4M, one file a track.")
    var record: String?

    /// Opens files and devices, so that what is missing is told before anything rings.
    ///
    /// - Parameters:
    ///   - wantsPicture: a test card is published where no picture was chosen.
    ///   - says: gets a line for each thing that happens.
    func open(wantsPicture: Bool, says: @escaping @Sendable (String) -> Void) throws -> RingMedia {
        let devices = DeviceWatch()
        var published = try media.publications(PublishedMedia(audio: true, video: true), devices, speech)
        if !media.wanted.hasAudio { published.append(.testTone(440)) }
        if wantsPicture, !media.wanted.hasVideo { published.append(.testCard(.hd360)) }
        if let record { try RecordingFolder.prepare(record) }
        return RingMedia(
            published: published,
            hearing: RingHearing(
                speaker: try listening.openSpeaker(devices), greeting: listening.greeting.map(speech.greeting)),
            record: record, picture: listening.pip,
            showsIndicator: listening.indicator, devices: devices, says: says)
    }
}

/// What `RingMediaOptions` has opened.
struct RingMedia: Sendable {
    var published: [LocalMedia] = []
    var hearing = RingHearing()
    var record: String?
    var picture: String?
    var showsIndicator = false
    var devices = DeviceWatch()
    /// Gets a line for each thing that happens.
    var says: @Sendable (String) -> Void = { _ in }
}
