import ArgumentParser
import LoadCore

/// Who takes part in a load test. Names are those of `lk load-test` where they mean the same.
struct LoadPeopleOptions: ParsableArguments {
    @Option(name: .long, parsing: .unconditional, help: "How many rooms.")
    var rooms = 1

    @Option(name: .long, parsing: .unconditional, help: "Participants of each room that publish sound and pictures.")
    var publishers = 0

    @Option(
        name: .long, parsing: .unconditional,
        help: "Participants of each room that publish sound; the first of them are those of --video-publishers.")
    var audioPublishers = 0

    @Option(name: .long, parsing: .unconditional, help: "Participants of each room that publish pictures.")
    var videoPublishers = 0

    @Option(name: .long, parsing: .unconditional, help: "Participants of each room that receive the others.")
    var subscribers = 0

    @Flag(name: .long, help: "Publishers receive each other, too.")
    var publishersSubscribe = false

    @Option(name: .long, parsing: .unconditional, help: "The room's name; of several the beginning.")
    var room = "load"

    @Option(name: .long, parsing: .unconditional, help: "How identities begin.")
    var identityPrefix = "load"

    func validate() throws {
        let counts = [
            ("rooms", rooms), ("publishers", publishers), ("audio-publishers", audioPublishers),
            ("video-publishers", videoPublishers), ("subscribers", subscribers),
        ]
        for (name, count) in counts where !((name == "rooms" ? 1 : 0)...20_000).contains(count) {
            throw ValidationError("--\(name) \(count): use 0 to 20000, and at least one room.")
        }
        if publishers > 0, audioPublishers > 0 || videoPublishers > 0 {
            throw ValidationError(
                "--publishers sets --audio-publishers and --video-publishers: leave out the one or the others.")
        }
        guard !room.isEmpty, !identityPrefix.isEmpty else {
            throw ValidationError("--room and --identity-prefix must not be empty.")
        }
    }

    func apply(to settings: inout LoadSettings) {
        settings.rooms = rooms
        settings.audioPublishers = max(publishers, audioPublishers)
        settings.videoPublishers = max(publishers, videoPublishers)
        settings.subscribers = subscribers
        settings.publishersSubscribe = publishersSubscribe
        settings.room = room
        settings.identityPrefix = identityPrefix
    }
}

/// What happens in a load test, and when.
struct LoadCourseOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "How long it goes on when everybody has arrived: 60, 90s, 10m, 1h.")
    var duration = LoadDuration(seconds: 60)

    @Option(name: .long, parsing: .unconditional, help: "Participants that begin to join in each second.")
    var numPerSecond = 20.0

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "How participants arrive: ramp, burst, churn or soak.",
            discussion: """
                ramp: one after the other. burst: all at once. churn: as ramp, then subscribers come and go steadily, \
                --joins-per-minute. soak: the same in several cycles; between them everybody leaves, and the heap is measured.
                """))
    var arrival = LoadArrival.ramp

    @Option(
        name: .long, parsing: .unconditional, help: "With churn and soak: subscribers that come, and others that go.")
    var joinsPerMinute = 200.0

    @Option(
        name: .long, parsing: .unconditional,
        help: "Do it all so many times; everybody leaves in between. With soak 3 where nothing is said.")
    var cycles: Int?

    @Option(
        name: .long, parsing: .unconditional,
        help: "Seconds after everybody's arrival at which all connections are given up at once and made anew.")
    var reconnectStorm: LoadDuration?

    @Option(
        name: .long, parsing: .unconditional, help: "Publishers mute their microphones about once in so many seconds.")
    var muteEvery: LoadDuration?

    @Option(name: .long, parsing: .unconditional, help: "Data messages that each publisher sends in a second.")
    var dataRate = 0.0

    @Option(name: .long, parsing: .unconditional, help: "The same seed gives the same turns, mutes and times.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (1...604_800).contains(duration.seconds) else {
            throw ValidationError("--duration \(duration.seconds): use 1 to 604800 seconds.")
        }
        guard (0.01...10_000).contains(numPerSecond) else {
            throw ValidationError("--num-per-second \(numPerSecond): use 0.01 to 10000.")
        }
        guard (0.1...60_000).contains(joinsPerMinute) else {
            throw ValidationError("--joins-per-minute \(joinsPerMinute): use 0.1 to 60000.")
        }
        guard (1...1_000).contains(cycles ?? 1) else {
            throw ValidationError("--cycles \(cycles ?? 0): use 1 to 1000.")
        }
        if let storm = reconnectStorm, !(0...duration.seconds - 1).contains(storm.seconds) {
            throw ValidationError("--reconnect-storm \(storm.seconds): use a time before the end, --duration.")
        }
        if let mute = muteEvery, !(1...3600).contains(mute.seconds) {
            throw ValidationError("--mute-every \(mute.seconds): use 1 to 3600 seconds.")
        }
        guard (0...1000).contains(dataRate) else { throw ValidationError("--data-rate \(dataRate): use 0 to 1000.") }
    }

    func apply(to settings: inout LoadSettings) {
        settings.duration = duration.seconds
        settings.arrival =
            switch arrival {
            case .ramp: .ramp(perSecond: numPerSecond)
            case .burst: .burst
            case .churn, .soak: .churn(perSecond: numPerSecond, joinsPerMinute: joinsPerMinute)
            }
        settings.cycles = cycles ?? (arrival == .soak ? 3 : 1)
        settings.reconnectStorm = reconnectStorm?.seconds
        settings.muteInterval = muteEvery?.seconds
        settings.messagesPerSecond = dataRate
        settings.seed = seed
    }
}

/// What is published in a load test, and how it is shown.
struct LoadMediaOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Bits a second of the full picture: 600k, 1.5M.", valueName: "bitrate"))
    var video: Bitrate?

    @Option(name: .long, parsing: .unconditional, help: "Size of the pictures: high, medium, low, or WxH@FPS.")
    var videoResolution = LoadResolution.medium

    @Option(name: .long, parsing: .unconditional, help: "The codec of pictures: vp8.")
    var videoCodec = "vp8"

    @Flag(name: .long, help: "Send pictures in one size only.")
    var noSimulcast = false

    @Flag(name: .long, help: "Every publisher runs encoders of its own. Frames then carry no numbers.")
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
        guard videoCodec.lowercased() == "vp8" else {
            throw ValidationError("--video-codec \(videoCodec): pictures are sent in vp8.")
        }
        guard (0...1000).contains(decode) else { throw ValidationError("--decode \(decode): use 0 to 1000.") }
    }

    var format: LoadMedia.Format {
        let size = videoResolution.format
        return LoadMedia.Format(
            width: size.width, height: size.height, frameRate: size.frameRate,
            bitrate: video?.bits ?? videoResolution.bitrate, isSimulcast: !noSimulcast, encodes: encode)
    }
}
