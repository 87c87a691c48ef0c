import LiveKitProtocol

/// The codecs that clients are told of.
enum LiveKitCodecs {
    /// What a room takes.
    static let ofRoom = list(audio + video + ["video/rtx"])
    /// What a client may publish, in the order of the join response.
    static let forPublishing = list(video + audio)

    private static let audio = ["audio/PCMU", "audio/PCMA", "audio/opus", "audio/red"]
    private static let video = ["video/VP8", "video/H264", "video/VP9", "video/AV1", "video/H265"]

    private static func list(_ names: [String]) -> [Livekit_Codec] { names.map { name in .with { $0.mime = name } } }
}
