import LiveKitProtocol

/// Upper bounds of what messages say of a participant or a track, in protobuf and in JSON alike.
enum DescriptionSize {
    /// Ids, times, permissions and the names of fields.
    private static let ofParticipant = 512
    private static let ofTrack = 768
    private static let ofLayer = 160

    static func participant(
        identity: String, name: String, metadata: String, attributes: [String: String]
    ) -> Int {
        ofParticipant + text(identity) + text(name) + text(metadata)
            + attributes.reduce(0) { $0 + text($1.key) + text($1.value) + 8 }
    }

    static func track(_ info: Livekit_TrackInfo) -> Int {
        var size = ofTrack + text(info.name) + text(info.stream) + info.layers.count * ofLayer
        for codec in info.codecs { size += ofLayer + text(codec.cid) + codec.layers.count * ofLayer }
        return size
    }

    /// As JSON writes it: control characters take six bytes.
    static func text(_ text: String) -> Int {
        text.utf8.reduce(0) { $0 + ($1 < 0x20 || $1 == 0x7f ? 6 : $1 == 0x22 || $1 == 0x5c ? 2 : 1) }
    }
}
