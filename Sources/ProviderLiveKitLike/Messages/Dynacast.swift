import LiveKitProtocol

/// Sending only the layers that somebody looks at.
enum Dynacast {
    /// The rids of the wanted layers; nil where the server says nothing of this codec. The only layer of a track without
    /// simulcast is wanted as long as any quality is.
    ///
    /// - Parameter codec: in lower case, without `video/`.
    static func wanted(
        _ update: Livekit_SubscribedQualityUpdate, of layers: [SimulcastLayer], codec: String
    ) -> Set<String>? {
        let qualities =
            update.subscribedCodecs.isEmpty
            ? update.subscribedQualities
            : update.subscribedCodecs.first { $0.codec.isEmpty || $0.codec.lowercased() == codec }?.qualities
        guard let qualities, !qualities.isEmpty else { return nil }
        let enabled = Set(qualities.filter(\.enabled).map(\.quality))
        if layers.count == 1 { return enabled.isEmpty ? [] : [layers[0].rid] }
        return Set(layers.filter { enabled.contains($0.quality) }.map(\.rid))
    }
}
