import RTCCore

extension SessionCore {
    /// Shares what the path bears out among the video tracks that are being sent, in equal parts.
    func setTargetBitrate(_ bitrate: Int) {
        let videos = senders.values.filter { $0.track.kind == .video && !$0.track.isMuted }
        for sender in videos { sender.setTargetBitrate(bitrate / videos.count) }
    }
}
