import OpenTokSignalling

/// The files of archives that can be fetched here.
extension OpenTokArchives {
    /// Path of an archive's file; nil where it can't be fetched.
    func file(of link: ArchiveLink) -> String? {
        guard let info = info(link.archive, of: link.project), info.status == .available else { return nil }
        return archiver?.file(of: info.id, project: info.project)
    }

    /// With a link to its file, where that can be fetched here.
    func linked(_ info: ArchiveInfo, _ server: String, _ service: OpenTokService) -> ArchiveInfo {
        guard info.status == .available, info.url == nil, let secret = service.secrets[info.project],
            let file = archiver?.file(of: info.id, project: info.project)
        else { return info }
        var info = info
        let name = String(file[(file.lastIndex(of: "/").map { file.index(after: $0) } ?? file.startIndex)...])
        let link = ArchiveLink(project: info.project, archive: info.id, filename: name)
        info.url = server + link.signed(secret: secret, now: WallClock.milliseconds / 1000)
        return info
    }
}

/// How the streams of composed archives are arranged.
extension OpenTokArchives {
    /// The layout classes of a stream have changed.
    func layoutChanged(_ item: StreamClasses, in session: String) {
        for archive in running(in: session) {
            archiver?.change(archive.id, .layoutClasses(stream: item.stream, item.classes))
        }
    }

    /// A stream has come whose layout classes the archives of its session are to know.
    func streamAppeared(_ stream: String, classes: [String], in session: String) {
        guard !classes.isEmpty else { return }
        for archive in running(in: session) {
            archiver?.change(archive.id, .layoutClasses(stream: stream, classes))
        }
    }

    /// Those of the streams that are there.
    func tellClasses(of session: OpenTokSessionID, _ service: OpenTokService) {
        guard let room = service.existingRoom(session.text) else { return }
        room.eventLoop.execute {
            room.loop.meter.measure(.message, "opentok archive") { now in
                guard case .streams(let streams) = room.perform(.streams(session: session), now: now) else { return }
                for stream in streams {
                    self.streamAppeared(stream.id, classes: stream.layoutClasses, in: session.text)
                }
            }
        }
    }
}
