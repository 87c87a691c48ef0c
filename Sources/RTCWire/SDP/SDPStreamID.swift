/// `a=msid:<stream id>[ <track id>]` (RFC 8830 section 2). The stream id `-` means "in no stream".
package struct SDPStreamID: Hashable, Sendable {
    package var streamID: String
    package var trackID: String?

    package init(streamID: String, trackID: String?) {
        self.streamID = streamID
        self.trackID = trackID
    }

    package init?(parsing text: String) {
        let parts = text.fields()
        guard let first = parts.first else { return nil }
        streamID = first
        trackID = parts.count > 1 ? parts[1] : nil
    }
}

extension SDPStreamID: CustomStringConvertible {
    package var description: String { streamID + (trackID.map { " \($0)" } ?? "") }
}
