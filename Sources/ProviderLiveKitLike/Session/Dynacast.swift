import LiveKitProtocol
import MediaCore

/// Sends only the layers that somebody looks at.
enum Dynacast {
    /// The layers that are wanted, by their rid; nil where the server says nothing of this track's codec.
    static func wanted(_ update: Livekit_SubscribedQualityUpdate, of layers: [SimulcastLayer], codec: String) -> Set<
        String
    >? {
        let qualities =
            update.subscribedCodecs.isEmpty
            ? update.subscribedQualities
            : update.subscribedCodecs.first { $0.codec.isEmpty || $0.codec.lowercased() == codec }?.qualities
        guard let qualities else { return nil }
        let enabled = Set(qualities.filter(\.enabled).map(\.quality))
        return Set(layers.filter { enabled.contains($0.quality) }.map(\.rid))
    }

    static func apply(
        _ update: Livekit_SubscribedQualityUpdate, to publication: Publication, on media: MediaSession
    ) async {}
}
