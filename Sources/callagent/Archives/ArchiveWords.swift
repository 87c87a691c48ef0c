import CallArchive
import CallServer

/// What the server asks for, in the words of those who record, and back.
extension RoomArchive {
    init(_ order: ArchiveOrder) {
        self.init(
            id: order.id, name: order.name ?? "", session: order.room, outputMode: .individual,
            streamMode: order.takesAllStreams ? .auto : .manual, hasAudio: order.hasAudio, hasVideo: order.hasVideo,
            createdAt: order.createdAt)
        project = order.project
        tag = order.tag
        maxBitrate = order.maxBitrate
        guard case .composed(let width, let height, let arrangement) = order.output else { return }
        outputMode = .composed
        (self.width, self.height) = (width, height)
        layout = ArchiveLayout(arrangement.kind)
        screenLayout = arrangement.whileSharing.map(ArchiveLayout.init)
    }
}

extension EarlierArchive {
    /// Nil for one that belongs to no project.
    init?(_ archive: RoomArchive) {
        guard let project = archive.project, let progress = ArchiveProgress(archive) else { return nil }
        let arrangement = ArchiveArrangement(archive.layout.kind, whileSharing: archive.screenLayout?.kind)
        let order = ArchiveOrder(
            id: archive.id, name: archive.name.isEmpty ? nil : archive.name, project: project, room: archive.session,
            createdAt: archive.createdAt, tag: archive.tag, hasAudio: archive.hasAudio, hasVideo: archive.hasVideo,
            output: archive.outputMode == .individual
                ? .individual : .composed(width: archive.width, height: archive.height, arrangement),
            takesAllStreams: archive.streamMode == .auto, maxBitrate: archive.maxBitrate)
        self.init(order, progress)
    }
}

extension ArchiveProgress {
    /// Nil for one whose files are gone.
    init?(_ archive: RoomArchive) {
        let state: State
        switch archive.state {
        case .started: state = .recording
        case .paused: state = .paused
        case .stopped: state = .stopped
        case .available: state = .available
        case .failed: state = .failed
        case .expired, .deleted: return nil
        }
        self.init(state, size: Int64(archive.size), duration: archive.duration, reason: archive.reason)
    }
}

extension ArchiveMachine.Event {
    init(_ change: ArchiveChange) {
        switch change {
        case .add(let stream, let hasAudio, let hasVideo):
            self = .add(stream, hasAudio: hasAudio, hasVideo: hasVideo)
        case .remove(let stream): self = .remove(stream)
        case .arrange(let arrangement):
            let screen = arrangement.whileSharing.map(ArchiveLayout.init)
            self = .arrange(ArchiveLayout(arrangement.kind), screen: screen)
        case .layoutClasses(let stream, let names): self = .classes(stream, Set(names))
        }
    }
}

extension ArchiveLayout {
    fileprivate init(_ kind: ArchiveArrangement.Kind) {
        switch kind {
        case .bestFit: self = .bestFit
        case .horizontalPresentation: self = .horizontalPresentation
        case .verticalPresentation: self = .verticalPresentation
        case .pictureInPicture: self = .pip
        }
    }

    fileprivate var kind: ArchiveArrangement.Kind {
        switch self {
        case .bestFit: .bestFit
        case .horizontalPresentation: .horizontalPresentation
        case .verticalPresentation: .verticalPresentation
        case .pip: .pictureInPicture
        }
    }
}
