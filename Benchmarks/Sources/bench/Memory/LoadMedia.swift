import MediaCore

/// What load participants publish: encoded once, and shared by all.
struct LoadMedia: Sendable {
    /// 640x360 at 30 a second, 600 kbit/s.
    let large: IVFFile
    /// 160x90 at 15 a second, 60 kbit/s.
    let small: IVFFile
    private let tone: OpusClip

    init() throws {
        large = try LoadMedia.clip(width: 640, height: 360, frameRate: 30, bitrate: 600_000)
        small = try LoadMedia.clip(width: 160, height: 90, frameRate: 15, bitrate: 60_000)
        tone = try OpusClip(ToneSource(frequency: 440), milliseconds: 1000)
    }

    /// Two seconds.
    private static func clip(width: Int, height: Int, frameRate: Double, bitrate: Int) throws -> IVFFile {
        let card = try TestCardSource(sender: 1, width: width, height: height, frameRate: frameRate)
        return try IVFFile(encoding: card, pictures: Int(2 * frameRate), bitrate: bitrate)
    }

    func sound() -> LocalTrack.Media { .encodedAudio(tone.source()) }
}
