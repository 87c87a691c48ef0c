import ArgumentParser
import CallBridge
import MediaCore

/// A sound device or a file, as `--mic` and `--speaker` name it.
enum SoundDevice: ExpressibleByArgument, Equatable {
    /// A PulseAudio device; nil for the default one.
    case pulse(String?)
    /// A WAV file to write.
    case file(String)

    init?(argument: String) {
        if argument == "pulse" {
            self = .pulse(nil)
        } else if argument.hasPrefix("pulse:"), argument.count > 6 {
            self = .pulse(String(argument.dropFirst(6)))
        } else if argument.hasSuffix(".wav") {
            self = .file(argument)
        } else {
            return nil
        }
    }
}

/// How a person would take part: what is heard and seen. Without any of these nothing touches a device.
struct ListeningOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Play what the call sounds like: pulse, pulse:SINK, or a WAV file to write.", valueName: "device"))
    var speaker: SoundDevice?

    @Option(
        name: .long, parsing: .unconditional,
        help: "Speak this to the one who listens, from now until the call itself is heard.")
    var greeting: String?

    @Flag(name: .long, help: "Show the active-call indicator as a line that changes.")
    var indicator = false

    @Option(
        name: .long, parsing: .unconditional, help: "Write the active-call indicator's picture to a Y4M file.")
    var pip: String?

    func validate() throws {
        if let pip, !pip.hasSuffix(".y4m") { throw ValidationError("--pip \(pip): name a file that ends in .y4m.") }
    }

    /// The device to play on, opened now, so that a missing one is told before anything is joined. Throws `MediaError`.
    func openSpeaker(_ devices: DeviceWatch) throws -> Speaker? {
        switch speaker {
        case .pulse(let device): .pulse(try PulseSpeaker(device: device) { devices.note($0) })
        case .file(let path): .file(try WAVWriter(path: path))
        case nil: nil
        }
    }
}

/// An opened device or file.
enum Speaker {
    case pulse(PulseSpeaker)
    case file(WAVWriter)

    var sink: any AudioSink {
        switch self {
        case .pulse(let speaker): speaker
        case .file(let writer): writer
        }
    }

    /// Throws `MediaError` where a file could not be written; a device that was lost is noted.
    func close(_ devices: DeviceWatch) throws(MediaError) {
        switch self {
        case .pulse(let speaker):
            do throws(MediaError) { try speaker.close() } catch { devices.note(error) }
        case .file(let writer): try writer.close()
        }
    }
}
