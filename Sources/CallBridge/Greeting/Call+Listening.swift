public import MediaCore

extension Call {
    /// Lets `output` play what this call sounds like, from now to the call's end: the tracks that are received already and
    /// those to come. A greeting that `output` plays ends with the first of them, or with the call.
    public nonisolated func play(to output: CallAudioOutput) {
        let events = self.events
        Task {
            var heard: [String: RemoteTrack] = [:]
            for await event in events {
                switch event {
                case .trackSubscribed(let remote, let track, _) where track.kind == .audio:
                    heard.updateValue(remote, forKey: track.id).map(output.detach)
                    output.attach(remote)
                case .trackUnsubscribed(let track, _), .trackUnpublished(let track, _):
                    heard.removeValue(forKey: track.id).map(output.detach)
                default: break
                }
            }
            for remote in heard.values { output.detach(remote) }
            output.stopGreeting()
        }
    }
}
