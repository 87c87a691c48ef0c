import OpenTokSignalling

extension ArchiveInfo {
    /// What the recorder's token says, which nobody but a holder of the secret can sign.
    static func connectionData(of id: String) -> String { "archive=\(id)" }

    var isRunning: Bool { status == .started || status == .paused }

    var raptor: RaptorArchive {
        RaptorArchive(
            id: id, name: options.name ?? "", status: RaptorArchive.Status(rawValue: status.rawValue) ?? .failed)
    }

    mutating func take(_ progress: ArchiveProgress) {
        switch progress.state {
        case .recording: status = .started
        case .paused: status = .paused
        case .stopped: status = .stopped
        case .available: status = .available
        case .failed: status = .failed
        }
        size = progress.size
        duration = Int64(progress.duration.rounded())
        reason = progress.reason
        url = progress.url ?? url
    }
}

extension ArchiveOrder {
    /// Nil where no token can be made.
    init?(_ info: ArchiveInfo, server: String, secret: String, now: Int64) {
        let token = OpenTokToken(
            project: info.project, sessionID: info.options.session.text, role: .subscriber, created: now,
            connectionData: ArchiveInfo.connectionData(of: info.id))
        guard let text = try? token.signed(secret: secret) else { return nil }
        let options = info.options
        let (width, height) = (options.resolution ?? .landscape480).size
        self.init(
            id: info.id, name: options.name, server: server, project: info.project, room: options.session.text,
            token: text, createdAt: info.createdAt, tag: options.multiArchiveTag, hasAudio: options.hasAudio,
            hasVideo: options.hasVideo,
            output: options.outputMode == .individual
                ? .individual
                : .composed(width: width, height: height, options.layout.flatMap(ArchiveArrangement.init) ?? .bestFit),
            takesAllStreams: options.streamMode == .auto, maxBitrate: options.maxBitrate)
    }
}

extension ArchiveArrangement {
    /// Nil for a style sheet.
    init?(_ layout: ArchiveLayout) {
        guard let kind = Kind(layout.kind) else { return nil }
        let whileSharing = layout.screenShareKind.map { Kind($0) }
        // Asked for, and not there.
        if case .some(nil) = whileSharing { return nil }
        self.init(kind, whileSharing: whileSharing ?? nil)
    }

    /// In the words of the REST API.
    var layout: ArchiveLayout { ArchiveLayout(kind.word, whileSharing: whileSharing?.word) }
}

extension ArchiveArrangement.Kind {
    fileprivate init?(_ kind: ArchiveLayout.Kind) {
        switch kind {
        case .bestFit: self = .bestFit
        case .custom: return nil
        case .horizontalPresentation: self = .horizontalPresentation
        case .pip: self = .pictureInPicture
        case .verticalPresentation: self = .verticalPresentation
        }
    }

    fileprivate var word: ArchiveLayout.Kind {
        switch self {
        case .bestFit: .bestFit
        case .horizontalPresentation: .horizontalPresentation
        case .pictureInPicture: .pip
        case .verticalPresentation: .verticalPresentation
        }
    }
}

extension ArchiveInfo {
    /// Of an earlier run; nil where what stands on the disk is no archive of a session.
    init?(_ earlier: EarlierArchive) {
        let order = earlier.order
        guard let session = try? OpenTokSessionID(parsing: order.room) else { return nil }
        var options = ArchiveOptions(session, SessionOptions())
        options.name = order.name
        options.multiArchiveTag = order.tag
        (options.hasAudio, options.hasVideo) = (order.hasAudio, order.hasVideo)
        options.streamMode = order.takesAllStreams ? .auto : .manual
        options.maxBitrate = order.maxBitrate
        switch order.output {
        case .individual: options.outputMode = .individual
        case .composed(let width, let height, let arrangement):
            options.resolution = ArchiveResolution(rawValue: "\(width)x\(height)")
            options.layout = arrangement.layout
        }
        self.init(
            id: order.id, status: .failed, project: order.project, options: options, createdAt: order.createdAt)
        take(earlier.progress)
    }
}
