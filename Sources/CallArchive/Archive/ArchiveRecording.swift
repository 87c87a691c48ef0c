import Foundation
import MediaCore

/// What is recorded of one stream of an archive.
struct ArchiveRecording: Sendable {
    let recorder: StreamRecorder
    let stream: String
    /// The participant.
    let owner: String
    let isScreen: Bool
    let kinds: Set<MediaKind>
    /// Milliseconds from the archive's beginning; nil while it goes on.
    var ended: Int64?

    /// How far pictures are to be moved that are a stream of their own, so that they are in step with their sender's sound:
    /// milliseconds.
    ///
    /// - Parameter all: what the archive has recorded.
    func lag(
        _ result: StreamRecorder.Result, behind all: [(ArchiveRecording, StreamRecorder.Result)]
    ) -> Int64 {
        guard let pictures = result.pictureClock, result.soundClock == nil else { return 0 }
        let sounds = all.lazy.filter { $0.0.owner == owner && $0.0.isScreen == isScreen }
        guard let sound = sounds.compactMap(\.1.soundClock).first else { return 0 }
        let moved = (sound &- pictures) / 1_000_000
        // No sender reports that far off are honest.
        return moved.magnitude < 1_000 ? moved : 0
    }

    /// Its files, as the archive's manifest has them.
    ///
    /// - Parameters:
    ///   - begun: when the archive has begun.
    ///   - end: the archive's, in milliseconds from there.
    func described(
        _ result: StreamRecorder.Result, since begun: MediaTime, moved: Int64, until end: Int64
    ) -> [ArchiveManifest.File] {
        guard let beginning = result.beginning else { return [] }
        let start = (beginning.nanoseconds - begun.nanoseconds) / 1_000_000 + moved
        return result.files.map { file in
            ArchiveManifest.File(
                filename: URL(fileURLWithPath: file).lastPathComponent, streamId: stream,
                videoType: isScreen ? "screen" : "camera", startTimeOffset: max(0, start),
                stopTimeOffset: ended ?? end, size: result.bytes)
        }
    }
}
