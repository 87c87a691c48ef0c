import RTCCore

/// A track that is published in a room.
package struct PublishedTrack: Sendable, Hashable {
    package let id: String
    package var kind: StreamKind
    package var source: TrackSource
    package var name: String
    package var isMuted: Bool
    package var media: TrackMedia

    package init(
        id: String, kind: StreamKind, source: TrackSource, name: String, isMuted: Bool, media: TrackMedia = TrackMedia()
    ) {
        self.id = id
        self.kind = kind
        self.source = source
        self.name = name
        self.isMuted = isMuted
        self.media = media
    }
}

/// What a track carries, as far as its publisher has said.
package struct TrackMedia: Sendable, Hashable {
    /// The name in `a=rtpmap`, "VP8" or "opus"; empty until it has been agreed on.
    package var codec: String
    /// Of video, the smallest first; may be empty.
    package var layers: [FrameSize]
    /// Tracks of one publisher with the same group, such as camera and microphone, are played in step. May be empty.
    package var group: String
    /// Encrypted end to end: nobody here can read it.
    package var isEncrypted: Bool

    package init(codec: String = "", layers: [FrameSize] = [], group: String = "", isEncrypted: Bool = false) {
        self.codec = codec
        self.layers = layers
        self.group = group
        self.isEncrypted = isEncrypted
    }

    /// The rank of the smallest layer that is as large as `size`; the largest rank where none is.
    package func layer(covering size: FrameSize) -> Int {
        let index = layers.firstIndex { $0.width >= size.width && $0.height >= size.height }
        return min(index ?? TrackPreference.largestLayer, TrackPreference.largestLayer)
    }
}

/// Width and height of video in pixels.
package struct FrameSize: Sendable, Hashable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
