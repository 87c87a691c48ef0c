import CallModel
import MediaCore

/// What holds for every track that is received, in `call` and in `join`: it can be opened and decoded, and is neither
/// concealed nor frozen for long.
struct ReceptionJudge {
    /// How much of a track may be invented or stand still before that is named. docs/reports.md.
    struct Limits {
        /// Share of the time, 0...1.
        var share = 0.05
        /// Milliseconds that are never too much.
        var milliseconds = 500.0

        /// Whether `lost` of `whole` milliseconds is more than that.
        func isExceeded(by lost: Double, of whole: Double) -> Bool { lost > max(milliseconds, share * whole) }
    }

    /// Nil where the network is bad on purpose.
    var limits: Limits? = Limits()
    /// Milliseconds in which this machine ran our timers late: what that explains is no path's fault.
    var lateMilliseconds = 0.0

    /// The codecs that this build decodes.
    static let codecs: Set<String> = ["opus", "red", "vp8"]

    static func decodes(_ codec: String) -> Bool { codec.isEmpty || codecs.contains(codec.lowercased()) }

    /// Names what is wrong with a track.
    ///
    /// - Parameter isStill: it shows a screen, on which nothing may change for long.
    func judge(_ track: inout TrackReport, isStill: Bool = false) {
        if track.framesUndecryptable > 0 {
            track.fail(
                .undecryptable,
                "\(track.framesUndecryptable) frames could not be decrypted; give the sender's key with --e2ee-key")
        }
        if track.framesUndecodable > 0 {
            track.fail(
                .undecodable, "\(track.framesUndecodable) frames could not be decoded as \(Self.name(track.codec))")
        }
        guard let limits else { return }
        judgeSound(&track, limits)
        if !isStill { judgeMotion(&track, limits) }
    }

    private func judgeSound(_ track: inout TrackReport, _ limits: Limits) {
        guard let audio = track.audio else { return }
        judge(
            &track, lost: audio.concealedMs, of: audio.playedMs, .concealed,
            "\(Int(audio.concealedMs)) of \(Int(audio.playedMs)) ms of its sound had to be invented", limits)
    }

    private func judgeMotion(_ track: inout TrackReport, _ limits: Limits) {
        let whole = track.receivedMs ?? 0
        judge(
            &track, lost: track.frozenMs, of: whole, .frozen,
            "its picture stood still for \(Int(track.frozenMs)) of \(Int(whole)) ms", limits)
    }

    /// Too much is the track's fault or, where the time in which our timers were late explains it, this machine's.
    private func judge(
        _ track: inout TrackReport, lost: Double, of whole: Double, _ reason: FailureReason, _ text: String,
        _ limits: Limits
    ) {
        guard limits.isExceeded(by: lost, of: whole) else { return }
        guard !limits.isExceeded(by: lost - lateMilliseconds, of: whole) else { return track.fail(reason, text) }
        track.fail(
            .late,
            "\(text), while this machine ran media timers late for \(Int(lateMilliseconds)) ms; run fewer participants or "
                + "less beside them")
    }

    /// A codec's name as reports write it: it comes from the network.
    static func name(_ codec: String) -> String {
        codec.isEmpty ? "an unknown codec" : codec.printable(limit: 20)
    }
}
