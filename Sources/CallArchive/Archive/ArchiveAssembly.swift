import MediaCore

/// Makes the one file of an archive that has ended, of the files of its streams, which are deleted then. What fails leaves
/// them as they are.
struct ArchiveAssembly: Sendable {
    /// Of a composed archive, bits per second.
    private static let usualBitrate = 1_000_000

    let folder: ArchiveFolder
    let archive: RoomArchive
    let changes: [(time: Int64, change: Composition.Change)]
    /// Single files become one, too.
    let packsFiles: Bool

    /// Works elsewhere than the caller does: it takes long.
    ///
    /// - Parameter end: milliseconds from the archive's beginning.
    func join(
        _ files: [ArchiveManifest.File], until end: Int64
    ) async throws(MediaError) -> [ArchiveManifest.File] {
        guard archive.outputMode == .composed || packsFiles else { return files }
        let size = try await Task.detached(priority: .utility) { () -> Result<Int, MediaError> in
            do throws(MediaError) {
                return .success(try archive.outputMode == .composed ? compose(files, until: end) : pack(files))
            } catch { return .failure(error) }
        }.value.get()
        folder.remove(files.map { "\(folder.path)/\($0.filename)" })
        return [
            ArchiveManifest.File(
                filename: archive.filename, streamId: "", videoType: archive.outputMode.rawValue, startTimeOffset: 0,
                stopTimeOffset: end, size: size)
        ]
    }

    private func compose(_ files: [ArchiveManifest.File], until end: Int64) throws(MediaError) -> Int {
        var composition = Composition(
            parts: files.map {
                Composition.Part(
                    path: "\(folder.path)/\($0.filename)", stream: $0.streamId, begins: $0.startTimeOffset,
                    ends: $0.stopTimeOffset, isScreen: $0.videoType == "screen")
            }, milliseconds: end)
        composition.changes = changes
        (composition.width, composition.height) = (archive.width, archive.height)
        composition.bitrate = archive.maxBitrate ?? Self.usualBitrate
        if !archive.hasAudio { composition.kinds.remove(.audio) }
        if !archive.hasVideo { composition.kinds.remove(.video) }
        var composer = Composer(composition)
        do throws(MediaError) { return try composer.compose(to: folder.composed) } catch {
            folder.remove([folder.composed])
            throw error
        }
    }

    /// What is in it is told in it.
    private func pack(_ files: [ArchiveManifest.File]) throws(MediaError) -> Int {
        var archive = archive
        archive.state = .available
        archive.size = files.reduce(0) { $0 + $1.size }
        return try folder.pack(ArchiveManifest(archive: archive, files: files))
    }
}
