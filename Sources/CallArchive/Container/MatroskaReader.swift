import CAVFormat
import MediaCore

/// Reads the frames of a WebM or Matroska file in their order. What a crash has cut off is the end.
package final class MatroskaReader {
    /// A frame as it stands in the file.
    package struct Frame: Sendable, Hashable {
        package var track: Int
        package var payload: [UInt8]
        package var milliseconds: Int64
        package var isKeyFrame: Bool
    }

    /// The codec of each track; nil for one that is not ours.
    package let codecs: [MediaCodec?]
    private let demuxer: UnsafeMutablePointer<cav_demuxer>

    /// Opens a file.
    package init(path: String) throws(MediaError) {
        let library = try AVFormatLibrary.load()
        var error: Int32 = 0
        guard let demuxer = cav_demuxer_new(library.api, path, &error) else {
            throw MediaError(
                .unreadable, path, "can't be read: \(library.text(error))", remedy: "check that it is a recording")
        }
        self.demuxer = demuxer
        codecs = (0..<cav_stream_count(demuxer)).map { MediaCodec(shimNumber: cav_stream_codec(demuxer, $0)) }
    }

    deinit { cav_demuxer_free(demuxer) }

    /// The next frame; nil at the end.
    package func next() -> Frame? {
        let track = cav_next(demuxer)
        guard track >= 0, let packet = demuxer.pointee.packet else { return nil }
        let bytes = UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
        return Frame(
            track: Int(track), payload: Array(bytes), milliseconds: packet.pointee.pts,
            isKeyFrame: packet.pointee.flags & AV_PKT_FLAG_KEY != 0)
    }
}
