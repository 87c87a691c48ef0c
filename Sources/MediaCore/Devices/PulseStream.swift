import CPulse

/// One stream of the sound system, through PulseAudio's blocking interface.
///
/// Every call but `init` and `deinit` belongs to the one thread that owns the stream.
struct PulseStream: ~Copyable {
    enum Direction { case playback, recording }

    /// The library as loaded, once per process; nil where it isn't installed.
    private static let library: cpulse_api? = {
        var api = cpulse_api()
        return cpulse_load(&api) == 0 ? api : nil
    }()

    private let api: cpulse_api
    private let stream: OpaquePointer
    private let device: String

    /// 40 ms of mono samples: short enough for a conversation, long enough for a busy machine.
    private static let latency: UInt32 = 2 * 1_920

    /// Opens a stream of mono 16-bit samples at 48 kHz.
    ///
    /// - Parameter device: a sink's or source's name; nil for the sound system's default.
    /// - Throws: ``MediaError`` where there is no sound system, or no such device.
    static func open(_ direction: Direction, device: String?) throws(MediaError) -> PulseStream {
        guard let api = library else {
            throw MediaError(
                .environment, "PulseAudio", "its client library isn't installed",
                remedy: "apt-get install libpulse0, or use a file instead of a device")
        }
        var code: Int32 = 0
        let isRecording: Int32 = direction == .recording ? 1 : 0
        let opened = withUnsafePointer(to: api) { api -> OpaquePointer? in
            if let device {
                return device.withCString {
                    cpulse_open(api, "callbridge", $0, isRecording, 1, latency, &code)
                }
            }
            return cpulse_open(api, "callbridge", nil, isRecording, 1, latency, &code)
        }
        guard let opened else { throw error(api, device ?? "default", code) }
        return PulseStream(api: api, stream: opened, device: device ?? "default")
    }

    private init(api: cpulse_api, stream: OpaquePointer, device: String) {
        self.api = api
        self.stream = stream
        self.device = device
    }

    deinit { api.close(stream) }

    /// Plays samples; returns once the sound system has room for more.
    func write(_ samples: UnsafeBufferPointer<Int16>) throws(MediaError) {
        var code: Int32 = 0
        guard api.write(stream, samples.baseAddress, samples.count * 2, &code) == 0 else {
            throw PulseStream.error(api, device, code)
        }
    }

    /// Waits for as many samples as the buffer holds.
    func read(into samples: UnsafeMutableBufferPointer<Int16>) throws(MediaError) {
        var code: Int32 = 0
        guard api.read(stream, samples.baseAddress, samples.count * 2, &code) == 0 else {
            throw PulseStream.error(api, device, code)
        }
    }

    /// Waits until everything was heard.
    func drain() { _ = api.drain(stream, nil) }

    private static func error(_ api: cpulse_api, _ device: String, _ code: Int32) -> MediaError {
        let text = api.text(code).map { String(cString: $0) } ?? "error \(code)"
        return MediaError(
            .environment, "PulseAudio device \(device)", text,
            remedy: "is the daemon running (pactl info), and does the device exist (pactl list short sinks, sources)?")
    }
}
